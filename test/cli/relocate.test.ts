/** A trace outlives edits of the code around its places: `detsim replay --relocate`. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { relocateTrace } from '../../cli/commands/relocation.js';
import { seedPlan } from '../../runtime/explore/plan.js';
import { parseTrace } from '../../runtime/trace/read.js';
import { copyFixture, runCli } from './fixture.js';

const fixture = path.join(__dirname, '../../../test/fixtures/trace/1.1-minimized.json');

describe('a trace of code that was edited since', function () {
  this.timeout(60_000);
  const trace = parseTrace(fs.readFileSync(fixture, 'utf8'), fixture);

  it('finds sites by what stands there, and the ordinal of those alike', () => {
    const shifted = trace.sites.map((site) => ({
      ...site,
      position: site.position.replace(/:(\d+):/, (_, line: string) => `:${Number(line) + 100}:`),
    }));
    const { schedule, moved, lost } = relocateTrace(trace, shifted);
    expect(schedule).to.equal('stubs;src/account.ts:111:21/function:123.1/Account.deposit.1#1+8ms');
    expect([moved, lost.length]).to.deep.equal([trace.sites.length, 0]);
    const twins = shifted.map((site) => ({ ...site, nth: 2 }));
    expect(relocateTrace(trace, twins).lost).to.have.length(trace.sites.length);
  });

  it('keeps the cryptographic bytes, which are no decision of a trace', () => {
    const drawn = { ...trace, schedule: `${trace.schedule};bytes=7` };
    expect(relocateTrace(drawn, trace.sites).schedule).to.match(/^stubs;.*#1\+8ms;bytes=7$/);
    const { schedule: _, ...seeded } = trace;
    const ofSeed = relocateTrace({ ...seeded, seed: '46' }, trace.sites).schedule;
    const { strategy } = seedPlan(46, new Map())(trace.test);
    expect(ofSeed).to.equal(`${trace.schedule};bytes=${strategy.bytesSeed}`);
  });

  it('is refused as it is, and replays with --relocate, which tells of the drift', async () => {
    const folder = copyFixture('lost-update');
    for (const name of ['src/account.ts', 'test/account.test.ts']) {
      const file = path.join(folder, name);
      const edited = `// One line,\n// and another.\n${fs.readFileSync(file, 'utf8')}`;
      fs.writeFileSync(file, edited.replace("  it('", "  it('is new', async () => {});\n\n  it('"));
    }
    const args = ['replay', `--trace=${fixture}`, '--no-check'];
    const strict = await runCli(folder, ...args);
    expect(strict.status, strict.stdout).to.equal(2);
    expect(strict.stderr).to.include('Replay it with --relocate');
    const relocated = await runCli(folder, ...args, '--relocate');
    expect(relocated.status, relocated.stderr).to.equal(1);
    expect(relocated.stdout).to.include('assertion failed: 1 == 3');
    expect(relocated.stdout).to.match(
      /Drift: 1\d of 1\d places of the trace are elsewhere now, none is gone; 19 of 19 steps go as/,
    );
  });
});
