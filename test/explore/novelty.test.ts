/** Novelty: finds what there is, says how much that is, and stops. */

import { expect } from 'chai';
import { Mutex } from '../../index.js';
import { exploreNovelty, type NoveltyTrial } from '../../runtime/explore/novelty/index.js';
import { followedBy, sequenceOf } from '../../runtime/explore/novelty/mutate.js';
import { NO_PROFILE } from '../../runtime/explore/profile.js';
import { makeStrategy } from '../../runtime/explore/strategies/index.js';
import {
  HOLD,
  noDeviation,
  type Decision,
  type Strategy,
  type Subject,
} from '../../runtime/kernel/choice.js';
import { ANY } from '../../runtime/kernel/rung.js';
import { Sim } from '../../runtime/sim/sim.js';
import { Saturation } from '../../runtime/explore/novelty/saturation.js';
import { letters, runJobs, type Job } from './toys.js';

function explore(make: () => { jobs: Job[]; log: string[] }, seed = 1, trials?: number) {
  const orders: string[] = [];
  const run = ({ strategy, recorder }: NoveltyTrial) => {
    const { jobs, log } = make();
    const { loop } = runJobs(jobs, strategy, recorder);
    orders.push(log.join(''));
    return { shape: loop.order.shape, outcome: log.at(-1) ?? '', failed: false };
  };
  const report = exploreNovelty(run, { seed, ...(trials === undefined ? {} : { trials }) });
  return { report, orders };
}

describe('novelty', () => {
  it('stops at once where nothing can go in another order', () => {
    const { report } = explore(() => letters(1, 0));
    expect(report).to.include({ trials: 1, shapes: 1, stopped: 'one schedule' });
  });

  it('stops soon where all orders are one shape', () => {
    const { report } = explore(() => letters(1, 5));
    expect(report).to.include({ shapes: 1, outcomes: 1, stopped: 'dry', newLately: 0, seen: 1 });
    expect(report.trials).to.be.at.most(25);
  });

  it('sees every shape of a small program, and then stops', () => {
    const { report, orders } = explore(() => letters(2, 3));
    expect(new Set(orders).size).to.equal(20);
    expect(report).to.include({ shapes: 20, outcomes: 2, stopped: 'dry' });
    expect(report.trials).to.be.below(1500);
    expect(report.seen).to.be.above(0.97);
  });

  it('says what share it has seen where there is more than it may look at', () => {
    const { report } = explore(() => letters(4, 4), 1, 500);
    expect(report.stopped).to.equal('trials');
    expect(report.shapes).to.be.above(300);
    expect(report.seen).to.be.below(0.6);
    expect(report.newLately).to.be.above(100);
  });

  it('runs the same trials for the same seed', () => {
    const run = (seed: number): string[] => explore(() => letters(3, 3), seed, 200).orders;
    expect(run(5)).to.deep.equal(run(5));
    expect(run(5)).to.not.deep.equal(run(6));
  });

  it('shows more shapes than as many seeds of random do', () => {
    const { report } = explore(() => letters(3, 4), 1, 1000);
    const shapes = new Set<number>();
    for (let seed = 1; seed <= 1000; seed++) {
      const strategy = makeStrategy('random', seed * 31, NO_PROFILE, ANY);
      shapes.add(runJobs(letters(3, 4).jobs, strategy).loop.order.shape);
    }
    expect(report.shapes).to.be.above(1.2 * shapes.size);
  });

  it('follows a sequence up to a choice, and then leaves it to a strategy', () => {
    const held: Strategy = { ...noDeviation, delay: () => HOLD, pick: (ready) => ready.at(-1) };
    const orderUnder = (strategy: Strategy): [order: string, decisions: [Decision, number][]] => {
      const { jobs, log } = letters(2, 4);
      const decisions: [Decision, number][] = [];
      runJobs(jobs, strategy, { choice: (decision, at) => void decisions.push([decision, at]) });
      return [log.join(''), decisions];
    };
    const [order, decisions] = orderUnder(held);
    expect(order).to.equal('bbbbaaaa');
    const sequence = sequenceOf(decisions, ANY, 0);
    const [plain] = orderUnder(noDeviation);
    expect(plain).to.equal('abababab');
    const after = (count: number) => orderUnder(followedBy(sequence, count, noDeviation))[0];
    expect(after(0)).to.equal(plain);
    expect(after(100)).to.equal(order);
    expect(after(2)).to.equal(order);
  });

  it('is told of the steps of a scenario, which it steers by', () => {
    const steps: number[] = [];
    const sim = new Sim({ seed: 1 });
    const strategy = { ...noDeviation, stepped: (task: Subject) => void steps.push(task.hash) };
    sim.scheduler.beginScope({ title: 'sim', rung: ANY, strategy });
    const mutex = new Mutex();
    for (const name of ['one', 'two']) void sim.spawn(name, () => mutex.lock());
    sim.runFor(1);
    expect(new Set(steps).size).to.equal(2);
  });

  it('estimates the mass that is seen by what was seen once', () => {
    const saturation = new Saturation();
    for (const shape of [1, 1, 2, 2, 3, 1, 2, 4]) saturation.add(shape, 'passed');
    expect(saturation.shapes).to.equal(4);
    expect(saturation.seen).to.equal(1 - 2 / 8);
    expect(saturation.newLately).to.equal(4);
  });

  it('tells two orders of a racing write apart, and not when they happen', () => {
    const shape = (delays: readonly number[]): number => {
      let asked = 0;
      const strategy = { ...noDeviation, delay: () => delays[asked++] };
      return runJobs(letters(2, 1).jobs, strategy).loop.order.shape;
    };
    expect(shape([0, 5])).to.equal(shape([0, 9e6]));
    expect(shape([0, 5])).to.not.equal(shape([5, 0]));
  });

  it('does not tell two orders of steps apart that have nothing to do with each other', () => {
    const shape = (delays: readonly number[], effects: readonly string[]): number => {
      let asked = 0;
      const strategy = { ...noDeviation, delay: () => delays[asked++] };
      return runJobs(letters(2, 1).jobs, strategy, undefined, effects).loop.order.shape;
    };
    const [a, b] = ['closed\n\na', 'closed\n\nb'];
    expect(shape([0, 5], [a, b])).to.equal(shape([5, 0], [a, b]));
    expect(shape([0, 5], [a, a])).to.not.equal(shape([5, 0], [a, a]));
    expect(shape([0, 5], [a, 'closed\na\n'])).to.not.equal(shape([5, 0], [a, 'closed\na\n']));
    expect(shape([0, 5], [a, 'open\n\nb'])).to.not.equal(shape([5, 0], [a, 'open\n\nb']));
  });
});
