/**
 * Runs each of a list of programs in a simulation and on plain Node: both must print the same.
 */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { orderPrograms } from './programs/order.js';
import { surfacePrograms } from './programs/surface.js';
import { simulate } from './simulate.js';

/** The log as it comes back from the child process. */
const asJson = (log: unknown[]): unknown => JSON.parse(JSON.stringify(log));

describe('order of timers, immediates, ticks and microtasks', () => {
  let plain: Record<string, unknown[]>;
  const warn = process.listeners('warning');

  after(() => warn.forEach((listener) => process.on('warning', listener)));

  before(function () {
    this.timeout(30_000);
    process.removeAllListeners('warning');
    const child = path.join(__dirname, 'order-child.js');
    plain = JSON.parse(
      execFileSync(process.execPath, ['--no-warnings', child], { encoding: 'utf8' }),
    );
  });

  for (const [name, program] of Object.entries({ ...orderPrograms, ...surfacePrograms })) {
    it(name, () => {
      const { log, errors } = simulate((write) => {
        setTimeout(() => {
          const result = program(write);
          if (result instanceof Promise) result.catch((error: unknown) => write(String(error)));
        }, 1);
      });
      expect(errors).to.deep.equal([]);
      expect(plain[name]).to.not.deep.equal([]);
      expect(asJson(log)).to.deep.equal(plain[name]);
    });
  }
});
