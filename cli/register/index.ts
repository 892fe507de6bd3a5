/**
 * `detsim/register`: replays a seed or a schedule under plain `mocha --require detsim/register`, or
 * in a file of `node:test` under `node --require detsim/register`.
 *
 * Without DETSIM_SEED and DETSIM_REPLAY it does nothing. With one of them mocha's own loading and
 * running of spec files are replaced: the trial runner runs the files, as in a sweep, and what its
 * mocha runner says is said again to the reporter. This file is where the runtime meets the overlay
 * of the command line; everything is loaded only when it is needed.
 */

const { DETSIM_SEED, DETSIM_REPLAY } = process.env;

if (DETSIM_SEED || DETSIM_REPLAY) {
  const { replayMain, runsNodeTest } = require('./node-test.js') as typeof import('./node-test.js');
  if (runsNodeTest(process.argv[1])) replayMain(process.argv[1]!, process.env);
  else {
    const { takeOver } = require('./take-over.js') as typeof import('./take-over.js');
    takeOver(process.env);
  }
}
