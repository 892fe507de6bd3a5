/** Traces of scenarios, and that equal seeds give equal ones. */

import { expect } from 'chai';
import { FaultyStorage, millisecond, Network, second, Sim } from '../../index.js';

/** Two nodes that play ping-pong over a bad network and write each ball to a bad disk. */
function pingPong(seed: number, trace = true): Sim {
  const sim = new Sim({ seed, trace });
  const network = new Network<{ ball: number }>(sim, {
    drop: 0.2,
    duplicate: 0.1,
    reorder: 0.5,
    delay: { min: 1, max: 10 },
  });
  for (const id of ['ping', 'pong']) {
    const disk = new FaultyStorage(sim, id, { tornWrite: 0.3, corruptByte: 0.3, skipSync: 0.2 });
    network.register(id, ({ ball }, from) => {
      disk.writeAt(disk.size(), Uint8Array.of(ball, sim.random(id).integer(0, 255)));
      disk.sync();
      if (ball < 20) network.send(id, from, { ball: ball + 1 });
      if (ball % 7 === 0) disk.crash();
    });
  }
  for (let i = 0; i < 10; i++) sim.after(i, () => network.send('ping', 'pong', { ball: 0 }));
  sim.run();
  return sim;
}

describe('Sim: trace', () => {
  it('says what happened, when, and in which step', () => {
    const sim = new Sim({ seed: 0, trace: true });
    const network = new Network(sim, { delay: { min: 5, max: 9 } });
    network.register('a', () => {});
    network.register('b', () => sim.note('b has it'));
    const begin = (): void => network.send('a', 'b', { hello: 1 });
    sim.after(10, begin);
    sim.run();
    network.partition(['a'], ['b'], { oneWay: true });
    network.send('a', 'b', 'lost');
    sim.heal();
    expect(sim.trace).to.deep.equal([
      { at: 10, step: 1, type: 'timer', text: 'begin' },
      { at: 10, step: 1, type: 'send', text: 'a -> b #1 {"hello":1}' },
      { at: 15, step: 2, type: 'deliver', text: 'a -> b #1 {"hello":1}' },
      { at: 15, step: 2, type: 'note', text: 'b has it' },
      { at: 15, step: 2, type: 'cut', text: 'a -> b' },
      { at: 15, step: 2, type: 'send', text: 'a -> b #2 "lost"' },
      { at: 15, step: 2, type: 'drop', text: 'a -> b #2 "lost"' },
      { at: 15, step: 2, type: 'heal', text: '' },
      { at: 15, step: 2, type: 'heal', text: 'network' },
    ]);
  });

  it('is empty unless it is asked for, and makes no difference to what happens', () => {
    const silent = pingPong(42, false);
    expect(silent.trace).to.deep.equal([]);
    const traced = pingPong(42);
    expect([silent.steps, silent.now, silent.loop.digest]).to.deep.equal([
      traced.steps,
      traced.now,
      traced.loop.digest,
    ]);
  });

  it('the same seed gives the same trace, byte for byte', () => {
    for (let seed = 0; seed < 50; seed++) {
      const first = pingPong(seed);
      const second = pingPong(seed);
      expect(first.trace.length).to.be.above(30);
      expect(JSON.stringify(first.trace)).to.equal(JSON.stringify(second.trace));
      expect(first.loop.digest).to.equal(second.loop.digest);
    }
  });

  it('different seeds give different ones', () => {
    const traces = new Set<string>();
    const digests = new Set<number>();
    for (let seed = 0; seed < 50; seed++) {
      const sim = pingPong(seed);
      traces.add(JSON.stringify(sim.trace));
      digests.add(sim.loop.digest);
    }
    expect([traces.size, digests.size]).to.deep.equal([50, 50]);
  });

  // The original's harness had this bug: it walked its nodes in an order that changed from run to
  // run, and broke ties by it.
  it('nodes are walked in the order in which they were registered, whatever their names', () => {
    const orderOf = (ids: readonly string[]): string[] => {
      const sim = new Sim({ seed: 0 });
      const network = new Network(sim);
      const order: string[] = [];
      for (const id of ids) network.register(id, () => order.push(id));
      network.register('sender', () => {});
      network.unregister(ids[0]);
      network.register(ids[0], () => order.push(ids[0]));
      network.broadcast('sender', 'to all');
      sim.run();
      return order;
    };
    const ids = ['10', '9', 'b', 'a', '1', '__proto__', 'constructor'];
    expect(orderOf(ids)).to.deep.equal(ids);
    expect(orderOf([...ids].reverse())).to.deep.equal([...ids].reverse());
  });

  it('a run in pieces is the run as a whole', () => {
    const run = (advance: (sim: Sim) => void): string => {
      const sim = new Sim({ seed: 3, trace: true });
      const network = new Network<number>(sim, { drop: 0.1, reorder: 1 });
      network.register('a', (n) => network.send('a', 'b', n + 1));
      network.register('b', (n) => network.send('b', 'a', n + 1));
      for (let i = 0; i < 20; i++) network.send('a', 'b', i);
      advance(sim);
      return JSON.stringify(sim.trace);
    };
    const whole = run((sim) => void sim.runUntil(second / 10));
    const pieces = run((sim) => {
      for (let i = 0; i < 100; i++) sim.runFor(millisecond);
    });
    expect(pieces).to.equal(whole);
  });
});
