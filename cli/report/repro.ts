/**
 * The commands that reproduce a finding, for pasting into a shell in the working directory.
 */

import type { RunnerName } from '../../runtime/runners/names.js';
import type { Origin } from '../../runtime/explore/origin.js';
import { assign, grepPattern, quote } from '../../runtime/explore/quote.js';

export interface ReproTarget {
  /** Path of the spec file, relative to the working directory. */
  readonly file: string;
  /** Full title of the one test to run; undefined to run the whole file. */
  readonly test: string | undefined;
  /** Its own title, without those of the suites around it. */
  readonly ownName?: string;
  /** All full titles of the file. */
  readonly titles: readonly string[];
  /** Mocha when it is left out; detsim itself where the runner's configuration does not name it. */
  readonly runner?: RunnerName | 'detsim';
  /** Variables that carry options of the command line, which the config file does not know. */
  readonly environment: Readonly<Record<string, string>>;
}

export function reproduce(of: Origin, target: ReproTarget): string {
  if (target.runner === 'detsim') {
    const what = 'seed' in of ? `--seed=${of.seed}` : `--schedule=${quote(of.schedule)}`;
    return command(target.environment, target, what);
  }
  const what: Record<string, string> =
    'seed' in of ? { DETSIM_SEED: String(of.seed) } : { DETSIM_REPLAY: of.schedule };
  return command({ ...target.environment, ...what }, target);
}

function command(
  environment: Readonly<Record<string, string>>,
  target: ReproTarget,
  what = '',
): string {
  const { file, test, titles, runner = 'mocha' } = target;
  const variables = Object.entries(environment).map(([name, value]) => assign(name, value));
  // Node looks for its pattern in the name of the test alone.
  const own = runner === 'node:test' && test !== undefined ? target.ownName : undefined;
  const pattern =
    test === undefined ? undefined : quoteTitle(grepPattern(own ?? test, own ? [] : titles));
  return [...variables, ...COMMANDS[runner](quote(file), pattern, what)].join(' ');
}

/** How each runner is started for one file, and for the tests of a pattern. */
const COMMANDS: Record<
  RunnerName | 'detsim',
  (file: string, pattern: string | undefined, what: string) => readonly string[]
> = {
  detsim: (file, pattern, what) => [
    ...['npx detsim replay', file, what],
    ...(pattern === undefined ? [] : ['--grep', pattern]),
  ],
  mocha: (file, pattern) => [
    ...['npx mocha --require detsim/register', file],
    ...(pattern === undefined ? [] : ['--grep', pattern]),
  ],
  vitest: (file, pattern) => [
    ...['npx vitest run', file],
    ...(pattern === undefined ? [] : ['-t', pattern]),
  ],
  jest: (file, pattern) => [
    ...['npx jest', file],
    ...(pattern === undefined ? [] : ['-t', pattern]),
  ],
  'node:test': (file, pattern) => [
    'node --require detsim/register',
    ...(pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]),
    file,
  ],
};

/** A title is always in quotes, so that one word reads like several. */
function quoteTitle(pattern: string): string {
  const quoted = quote(pattern);
  return quoted === pattern ? `"${pattern}"` : quoted;
}
