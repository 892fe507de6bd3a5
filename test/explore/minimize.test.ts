/** The minimizer against planted conditions. */

import { expect } from 'chai';
import { Kind } from '../../runtime/kernel/choice.js';
import type { Rung } from '../../runtime/kernel/rung.js';
import { minimize, type Candidate, type Oracle } from '../../runtime/explore/minimize.js';

function deviation(n: number, rung: Rung = 3, value = 37e6): Candidate {
  return { kind: Kind.Await, scope: '', site: 'a.ts:1:1', task: '', occurrence: n, value, rung };
}

const numbers = (list: readonly Candidate[]): number[] => list.map((d) => d.occurrence);

/** Fails when all of the wanted occurrences are there with at least the given delay. */
function needs(wanted: number[], delay = 0): { oracle: Oracle; asked: string[] } {
  const asked: string[] = [];
  const oracle: Oracle = async (list) => {
    asked.push(JSON.stringify(list));
    return wanted.every((n) => list.some((d) => d.occurrence === n && d.value >= delay));
  };
  return { oracle, asked };
}

describe('minimize', () => {
  const many = Array.from({ length: 40 }, (_, i) => deviation(i));

  it('tries the empty set first, and stops there when the test fails anyway', async () => {
    const { oracle, asked } = needs([]);
    expect(await minimize(many, oracle)).to.deep.equal([]);
    expect(asked).to.deep.equal(['[]']);
  });

  it('leaves exactly what is needed, wherever it is', async () => {
    for (const wanted of [[0], [39], [7, 31], [3, 4, 5], [0, 13, 26, 39]]) {
      expect(numbers(await minimize(many, needs(wanted).oracle))).to.deep.equal(wanted);
    }
  });

  it('never asks the same set twice', async () => {
    const { oracle, asked } = needs([2, 20]);
    await minimize(many, oracle);
    expect(new Set(asked).size).to.equal(asked.length);
  });

  it('prefers the lowest rung to the fewest deviations', async () => {
    const list = [deviation(1, 2), deviation(2, 2), deviation(3, 3)];
    const oracle: Oracle = async (set) =>
      set.some((d) => d.occurrence === 3) || [1, 2].every((n) => numbers(set).includes(n));
    expect(numbers(await minimize(list, oracle))).to.deep.equal([1, 2]);
  });

  it('shortens delays to the shortest round one that still fails', async () => {
    const [least] = await minimize([deviation(1, 2, 87_300_000)], needs([1], 12e6).oracle);
    expect(least.value).to.equal(15e6);
  });
});
