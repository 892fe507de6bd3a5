/**
 * Small programs whose order on plain Node is fixed log the same when they are instrumented:
 * outside a simulation, and inside one with the empty schedule, whatever the rung.
 */

import { expect } from 'chai';
import {
  FORMATS,
  INSTRUMENTED,
  keyOf,
  listPrograms,
  runPrograms,
  type Outcome,
  type Outcomes,
} from './programs.js';

const programs = listPrograms();

describe('conformance with plain Node', function () {
  this.timeout(120_000);
  let outcomes: Outcomes;

  before(async () => {
    outcomes = await runPrograms(programs);
  });

  const linesOf = (key: string): readonly string[] => {
    const outcome: Outcome = outcomes.get(key)!;
    if ('failure' in outcome) throw new Error(`${key}: ${outcome.failure}`);
    return outcome.lines;
  };

  for (const format of FORMATS) {
    describe(format === 'commonjs' ? 'CommonJS' : 'ES module', () => {
      for (const { name, formats } of programs) {
        if (!formats.includes(format)) continue;
        it(name, () => {
          const plain = linesOf(keyOf(name, format, 'plain'));
          expect(plain).to.not.have.lengthOf(0);
          for (const way of INSTRUMENTED) {
            expect(linesOf(keyOf(name, format, way)), way).to.deep.equal(plain);
          }
        });
      }
    });
  }
});
