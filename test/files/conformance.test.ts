/**
 * The same program on a real disk and on the simulated one: same results, events and errors.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { onItsOwn } from '../../bench/on-its-own.js';
import { simulate } from '../node/simulate.js';
import { told, type Log } from './calls.js';
import { moreScenarios } from './more-scenarios.js';
import { scenarios } from './scenarios.js';

/** What a scenario has logged, with its folder left out. */
function collect(dir: string): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const log: Log = (...values) => {
    const text = JSON.stringify(values, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value === undefined ? 'undefined' : value,
    );
    lines.push(text.replaceAll(dir, 'DIR').replaceAll(path.relative(process.cwd(), dir), 'REL'));
  };
  return { log, lines };
}

describe('files behave as on a real disk', function () {
  this.timeout(20_000);
  for (const [name, run] of Object.entries({ ...scenarios, ...moreScenarios })) {
    it(name, async () => {
      const real = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-files-'));
      const expected = collect(real);
      let got: string[] = [];
      try {
        await run(real, expected.log);
        const { errors } = await onItsOwn(() =>
          simulate(
            async (_write, scheduler) => {
              expect(fs.readdirSync(os.tmpdir()).includes(path.basename(real))).to.equal(false);
              fs.mkdirSync(real);
              const { log, lines } = collect(real);
              got = lines;
              try {
                await run(real, log);
              } catch (error) {
                lines.push(JSON.stringify(told(error)), String((error as Error).stack));
              }
              scheduler.loop.stop();
            },
            { maxSteps: 100_000 },
          ),
        );
        expect(errors).to.deep.equal([]);
      } finally {
        fs.rmSync(real, { recursive: true, force: true });
      }
      expect(got).to.deep.equal(expected.lines);
    });
  }
});
