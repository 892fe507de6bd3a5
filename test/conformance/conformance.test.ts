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
  type Format,
  type Outcome,
  type Outcomes,
} from './programs.js';

const programs = listPrograms();

const TITLES: Readonly<Record<Format, string>> = {
  commonjs: 'CommonJS',
  module: 'ES module',
  es2015: 'lowered to generators',
  es5: 'lowered to functions of steps',
};

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
    describe(TITLES[format], () => {
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
