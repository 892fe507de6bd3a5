/** That a rate means what it says, that delays spread as they should, and that faults are choices. */

import { expect } from 'chai';
import { Network, Sim, type DelayRange, type NetworkFaults } from '../../index.js';
import { Kind, type Decision } from '../../runtime/kernel/choice.js';

const MESSAGES = 20_000;

/** Sends so many messages over one link, and says when each arrived. */
function flood(faults: NetworkFaults, seed = 1): { network: Network<number>; at: number[] } {
  const sim = new Sim({ seed });
  const network = new Network<number>(sim, faults);
  const at: number[] = [];
  network.register('a', () => {});
  network.register('b', () => at.push(sim.now));
  for (let i = 0; i < MESSAGES; i++) network.send('a', 'b', i);
  sim.run();
  return { network, at };
}

/** A rate measured over all messages lies within five standard deviations. */
function expectRate(count: number, rate: number, of = MESSAGES): void {
  expect(count / of).to.be.closeTo(rate, 5 * Math.sqrt((rate * (1 - rate)) / of));
}

describe('Network: rates', () => {
  it('each fault strikes as often as its rate says', () => {
    for (const rate of [0.01, 0.1, 0.5, 0.9]) {
      const { droppedAtSend, delivered } = flood({ drop: rate }).network.stats;
      expectRate(droppedAtSend, rate);
      expect(droppedAtSend + delivered).to.equal(MESSAGES);
      const { duplicated, delivered: all } = flood({ duplicate: rate }).network.stats;
      expectRate(duplicated, rate);
      expect(all).to.equal(MESSAGES + duplicated);
    }
  });

  it('0 is never and 1 is always', () => {
    expect(flood({}).network.stats).to.deep.equal({
      sent: MESSAGES,
      droppedAtSend: 0,
      lostAtDelivery: 0,
      delivered: MESSAGES,
      duplicated: 0,
    });
    expect(flood({ drop: 1 }).network.stats.delivered).to.equal(0);
    expect(flood({ duplicate: 1 }).network.stats.delivered).to.equal(2 * MESSAGES);
  });

  it('faults are independent of each other', () => {
    const { stats } = flood({ drop: 0.3, duplicate: 0.2 }).network;
    expectRate(stats.droppedAtSend, 0.3);
    expectRate(stats.duplicated, 0.2, MESSAGES - stats.droppedAtSend);
  });

  it('a link with faults of its own is the only one that has them, and only that way', () => {
    const sim = new Sim();
    const network = new Network<number>(sim, { drop: 0.1 });
    const arrived = new Map<string, number>();
    for (const id of ['a', 'b']) {
      network.register(id, () => arrived.set(id, (arrived.get(id) ?? 0) + 1));
    }
    network.link('a', 'b').set({ drop: 0.8 });
    for (let i = 0; i < MESSAGES; i++) {
      network.send('a', 'b', i);
      network.send('b', 'a', i);
    }
    sim.run();
    expectRate(arrived.get('b')!, 0.2);
    expectRate(arrived.get('a')!, 0.9);
  });

  it('delays lie in their range, both ends included, and spread as they are asked to', () => {
    const spread = (delay: DelayRange): { min: number; max: number; mean: number } => {
      const { at } = flood({ delay, reorder: 1 });
      const mean = at.reduce((sum, time) => sum + time, 0) / at.length;
      return { min: Math.min(...at.slice(0, 1)), max: at[at.length - 1], mean };
    };
    const uniform = spread({ min: 10, max: 19 });
    expect([uniform.min, uniform.max]).to.deep.equal([10, 19]);
    expect(uniform.mean).to.be.closeTo(14.5, 0.2);
    const range = { min: 1_000_000, max: 11_000_000 };
    const width = range.max - range.min;
    const means = (['uniform', 'exponential', 'pareto'] as const).map((distribution) => {
      const { min, max, mean } = spread({ ...range, distribution });
      expect(min).to.be.within(range.min, range.min + width / 100);
      expect(max).to.be.within(range.max - width / 5, range.max);
      return (mean - range.min) / width;
    });
    expect(means[0]).to.be.closeTo(0.5, 0.01);
    // An exponential distribution that is cut at five means: 1/5 - e^-5 / (1 - e^-5).
    expect(means[1]).to.be.closeTo(0.1932, 0.01);
    // A Pareto distribution of shape 1 from 1 to 100, scaled: (ln 100 / 0.99 - 1) / 99.
    expect(means[2]).to.be.closeTo(0.0369, 0.01);
  });

  it('each of ten equal delays is as likely as the others', () => {
    const counts = new Map<number, number>();
    for (const time of flood({ delay: { min: 1, max: 10 }, reorder: 1 }).at) {
      counts.set(time, (counts.get(time) ?? 0) + 1);
    }
    expect(counts.size).to.equal(10);
    for (const count of counts.values()) expectRate(count, 0.1);
  });
});

describe('Network: faults are choices', () => {
  /** Every decision of a run, and what arrived. */
  const record = (
    seed: number,
    faults: NetworkFaults,
    before: (network: Network<number>) => void = () => {},
  ): { decisions: Decision[]; log: string[] } => {
    const sim = new Sim({ seed });
    const decisions: Decision[] = [];
    const log: string[] = [];
    sim.loop.recorder = { choice: (decision) => void decisions.push(decision) };
    const network = new Network<number>(sim, faults);
    for (const id of ['a', 'b', 'c'])
      network.register(id, (n) => log.push(`${id} ${n} ${sim.now}`));
    before(network);
    for (let i = 0; i < 100; i++) network.send('a', 'b', i);
    sim.run();
    return { decisions, log };
  };
  const faults = { drop: 0.3, duplicate: 0.3, reorder: 0.3 };

  it('seed 0 is the empty schedule: no fault, and the least delay', () => {
    const { decisions, log } = record(0, { drop: 1, duplicate: 1, reorder: 1 });
    expect(log).to.deep.equal(Array.from({ length: 100 }, (_, i) => `b ${i} 1000000`));
    expect(decisions.length).to.be.above(300);
    for (const { value } of decisions) expect(value).to.equal(0);
  });

  it('each has a key of its own: link, kind and which message', () => {
    const { decisions } = record(5, faults);
    const keys = new Set(decisions.map(({ key, occurrence }) => `${key}#${occurrence}`));
    expect(keys.size).to.equal(decisions.length);
    const drop = decisions.find(({ kind, value }) => kind === Kind.Drop && value === 1)!;
    expect(drop.site.position()).to.equal('network/a>b');
    expect(drop.occurrence).to.be.within(1, 100);
  });

  it('one fault less leaves every other decision as it was', () => {
    const all = record(5, faults).decisions;
    const others = (decisions: readonly Decision[], kind: Kind): string[] =>
      decisions
        .filter((one) => one.kind !== kind)
        .map(({ kind: k, key, occurrence, value }) => `${k} ${key} ${occurrence} ${value}`);
    const noDuplicates = record(5, { ...faults, duplicate: 0 }).decisions;
    const copies = new Set(
      all.filter(({ site }) => site.position().endsWith('/copies')).map(({ key }) => key),
    );
    expect(others(noDuplicates, Kind.Duplicate)).to.deep.equal(
      others(
        all.filter(({ key }) => !copies.has(key)),
        Kind.Duplicate,
      ),
    );
    expect(others(record(5, { ...faults, reorder: 0 }).decisions, Kind.Reorder)).to.deep.equal(
      others(all, Kind.Reorder),
    );
  });

  it('what other links do makes no difference', () => {
    const busy = record(5, faults, (network) => {
      for (let i = 0; i < 50; i++) network.send('c', 'b', -1);
      network.link('b', 'c').set({ drop: 1 });
      network.broadcast('b', -1);
    });
    const quiet = record(5, faults);
    const own = (log: readonly string[]): string[] => log.filter((line) => !line.includes(' -1 '));
    expect(own(busy.log)).to.deep.equal(own(quiet.log));
  });

  it('a cut does not shift what is decided about later messages', () => {
    const run = (cut: boolean): string[] => {
      const sim = new Sim({ seed: 8 });
      const network = new Network<number>(sim, { drop: 0.5, reorder: 1 });
      const log: string[] = [];
      for (const id of ['a', 'b']) network.register(id, (n) => log.push(`${n} ${sim.now}`));
      for (let i = 0; i < 40; i++) {
        if (cut && i === 10) network.partition(['a'], ['b']);
        if (cut && i === 20) network.healAll();
        network.send('a', 'b', i);
      }
      sim.run();
      return log.filter((line) => Number(line.split(' ')[0]) >= 20);
    };
    expect(run(true)).to.deep.equal(run(false)).and.not.deep.equal([]);
  });
});
