/** Messages: who gets them, when, and what is said of wrong calls. */

import { expect } from 'chai';
import { millisecond, Network, second, Sim, type NetworkFaults } from '../../index.js';

interface Arrival {
  readonly at: number;
  readonly to: string;
  readonly from: string;
  readonly message: unknown;
}

/** A network whose nodes note what arrives. */
function noting(
  ids: readonly string[],
  faults: NetworkFaults = {},
  seed = 1,
): { sim: Sim; network: Network; arrivals: Arrival[] } {
  const sim = new Sim({ seed });
  const network = new Network(sim, faults);
  const arrivals: Arrival[] = [];
  for (const to of ids) {
    network.register(to, (message, from) => arrivals.push({ at: sim.now, to, from, message }));
  }
  return { sim, network, arrivals };
}

const receivers = (arrivals: readonly Arrival[]): string[] => arrivals.map(({ to }) => to);

describe('Network: messages', () => {
  it('arrive after a delay, with who sent them; a self-send arrives at once', () => {
    const { sim, network, arrivals } = noting(['a', 'b'], { delay: { min: 5, max: 5 } });
    network.send('a', 'b', 'hello');
    network.send('b', 'b', { to: 'myself' });
    sim.run();
    expect(arrivals).to.deep.equal([
      { at: 0, to: 'b', from: 'b', message: { to: 'myself' } },
      { at: 5, to: 'b', from: 'a', message: 'hello' },
    ]);
  });

  it('a self-send meets no fault, not even in a cut node', () => {
    const { sim, network, arrivals } = noting(['a', 'b'], { drop: 1, duplicate: 1 });
    network.isolate('a');
    network.send('a', 'a', 1);
    sim.run();
    expect(receivers(arrivals)).to.deep.equal(['a']);
  });

  it('a broadcast goes to every other registered node, in the order of registration', () => {
    const { sim, network, arrivals } = noting(['c', 'a', 'b', 'gone'], {
      delay: { min: 1, max: 1 },
    });
    network.unregister('gone');
    network.broadcast('a', 'x');
    sim.run();
    expect(receivers(arrivals)).to.deep.equal(['c', 'b']);
    expect(network.stats.sent).to.equal(2);
  });

  it('keep the order of their link unless they are reordered', () => {
    const run = (reorder: number, seed: number): number[] => {
      const { sim, network, arrivals } = noting(['a', 'b'], { reorder }, seed);
      for (let i = 0; i < 50; i++) sim.at(i * 100_000, () => network.send('a', 'b', i));
      sim.run();
      return arrivals.map(({ message }) => message as number);
    };
    const inOrder = Array.from({ length: 50 }, (_, i) => i);
    for (let seed = 1; seed <= 20; seed++) {
      expect(run(0, seed)).to.deep.equal(inOrder);
      expect(run(1, seed)).to.not.deep.equal(inOrder);
      expect(run(1, seed).sort((x, y) => x - y)).to.deep.equal(inOrder);
    }
  });

  it('to a node that has crashed are lost, and come again once it is back', () => {
    const { sim, network, arrivals } = noting(['a', 'b'], { delay: { min: 10, max: 10 } });
    network.send('a', 'b', 1);
    sim.runFor(5);
    network.unregister('b');
    network.send('a', 'b', 2);
    sim.runFor(20);
    network.register('b', (message, from) =>
      arrivals.push({ at: sim.now, to: 'b again', from, message }),
    );
    network.send('a', 'b', 3);
    sim.run();
    expect(arrivals.map(({ to, message }) => [to, message])).to.deep.equal([['b again', 3]]);
    expect(network.stats).to.deep.equal({
      sent: 3,
      droppedAtSend: 0,
      lostAtDelivery: 2,
      delivered: 1,
      duplicated: 0,
    });
  });

  it('wrong calls are errors at once', () => {
    const { sim, network } = noting(['a', 'b']);
    const none = (): void => {};
    expect(() => network.send('a', 'x', 1)).to.throw(
      'network.send: there is no node "x". Registered so far: a, b.',
    );
    expect(() => network.send('x', 'a', 1)).to.throw('there is no node "x"');
    expect(() => network.broadcast('x', 1)).to.throw('network.broadcast: there is no node "x"');
    expect(() => network.partition(['a'], ['x'])).to.throw('there is no node "x"');
    expect(() => network.partition(['a', 'b'], ['b'])).to.throw('"b" is in both groups');
    expect(() => network.isolate('x')).to.throw('there is no node "x"');
    expect(() => network.isolate('a', { direction: 'up' as never })).to.throw(TypeError);
    expect(() => network.heal('a', 'x')).to.throw('there is no node "x"');
    expect(() => network.link('a', 'a')).to.throw('"a" has no link to itself');
    expect(() => network.link('a', 'b').set({ drop: 2 })).to.throw(
      RangeError,
      'link.set: drop must be a rate from 0 to 1, but it is 2.',
    );
    expect(() => network.clog('a', 'b', -1)).to.throw(RangeError, 'the duration');
    expect(() => network.register('a', none)).to.throw('"a" is registered already');
    expect(() => network.register('c', undefined as never)).to.throw(
      TypeError,
      'the handler of "c" must be a function, but it is undefined',
    );
    expect(() => network.register('', none)).to.throw(TypeError, 'the id');
    expect(() => network.unregister('x')).to.throw('there is no node "x"');
    network.unregister('a');
    expect(() => network.unregister('a')).to.throw('unregistered already');
    expect(() => new Network(sim, { drop: -0.1 })).to.throw(RangeError, 'drop');
    expect(() => new Network(sim, { drop: NaN })).to.throw(RangeError, 'but it is NaN');
    expect(() => new Network(sim, { duplicate: '1' as never })).to.throw(TypeError, 'duplicate');
    expect(() => new Network(sim, { lose: 0.1 } as never)).to.throw('no option "lose"');
    const delays = (delay: object) => () => new Network(sim, { delay: delay as never });
    expect(delays({ min: 5, max: 4 })).to.throw(RangeError, 'delay.max (4 ns) is less than');
    expect(delays({ min: -1, max: 4 })).to.throw(RangeError, 'delay.min');
    expect(delays({ min: 1, max: 4.5 })).to.throw(RangeError, 'delay.max');
    expect(delays({ min: 1, max: 4, distribution: 'normal' })).to.throw('it is "normal"');
  });
});

describe('Network: cuts', () => {
  const fixed = { delay: { min: 10, max: 10 } };
  /** Which of the six links between three nodes work. */
  const working = (change: (network: Network) => void): string[] => {
    const { sim, network, arrivals } = noting(['a', 'b', 'c'], fixed);
    change(network);
    for (const from of ['a', 'b', 'c']) network.broadcast(from, 0);
    sim.run();
    return arrivals.map(({ from, to }) => `${from}>${to}`).sort();
  };

  it('a partition cuts between the groups, both ways, and nothing else', () => {
    expect(working((network) => network.partition(['a'], ['b', 'c']))).to.deep.equal([
      'b>c',
      'c>b',
    ]);
    expect(working((network) => network.partition(new Set(['a']), ['b']))).to.deep.equal([
      'a>c',
      'b>c',
      'c>a',
      'c>b',
    ]);
  });

  it('a one-way partition lets answers through', () => {
    expect(
      working((network) => network.partition(['a'], ['b', 'c'], { oneWay: true })),
    ).to.deep.equal(['b>a', 'b>c', 'c>a', 'c>b']);
  });

  it('a node is isolated both ways, or one', () => {
    expect(working((network) => network.isolate('a'))).to.deep.equal(['b>c', 'c>b']);
    expect(working((network) => network.isolate('a', { direction: 'in' }))).to.deep.equal([
      'a>b',
      'a>c',
      'b>c',
      'c>b',
    ]);
    expect(working((network) => network.isolate('a', { direction: 'out' }))).to.deep.equal([
      'b>a',
      'b>c',
      'c>a',
      'c>b',
    ]);
  });

  it('an isolated node has no link to a node that comes later either', () => {
    const { sim, network, arrivals } = noting(['a', 'b'], fixed);
    network.isolate('a');
    network.register('late', () => arrivals.push({ at: 0, to: 'late', from: '', message: 0 }));
    network.send('a', 'late', 1);
    network.send('late', 'a', 1);
    sim.run();
    expect(arrivals).to.deep.equal([]);
    network.healAll();
    network.register('later', () => arrivals.push({ at: 0, to: 'later', from: '', message: 0 }));
    network.send('a', 'later', 1);
    sim.run();
    expect(receivers(arrivals)).to.deep.equal(['later']);
  });

  it('heal mends one pair, healAll and sim.heal all', () => {
    const all = ['a>b', 'a>c', 'b>a', 'b>c', 'c>a', 'c>b'];
    expect(
      working((network) => {
        network.isolate('a');
        network.heal('b', 'a');
      }),
    ).to.deep.equal(['a>b', 'b>a', 'b>c', 'c>b']);
    expect(
      working((network) => {
        network.isolate('a');
        network.partition(['b'], ['c']);
        network.healAll();
      }),
    ).to.deep.equal(all);
  });

  it('what is on its way when a link is cut is lost, and a cut that is mended in time is not', () => {
    const { sim, network, arrivals } = noting(['a', 'b'], fixed);
    network.send('a', 'b', 'lost');
    sim.runFor(5);
    network.partition(['a'], ['b']);
    network.send('a', 'b', 'dropped');
    sim.runFor(5);
    network.heal('a', 'b');
    network.send('a', 'b', 'arrives');
    sim.runFor(5);
    network.partition(['a'], ['b']);
    network.heal('a', 'b');
    sim.run();
    expect(arrivals.map(({ message }) => message)).to.deep.equal(['arrives']);
    expect(network.stats).to.include({
      sent: 3,
      droppedAtSend: 1,
      lostAtDelivery: 1,
      delivered: 1,
    });
  });

  it('a clogged link holds everything back, and lets it out in order', () => {
    const { sim, network, arrivals } = noting(['a', 'b'], fixed);
    network.send('a', 'b', 1);
    sim.runFor(5);
    network.clog('a', 'b', 100);
    network.send('a', 'b', 2);
    network.send('b', 'a', 'other way');
    sim.runFor(20);
    network.send('a', 'b', 3);
    sim.runUntil(100);
    network.send('a', 'b', 4);
    sim.run();
    expect(arrivals.map(({ at, message }) => [at, message])).to.deep.equal([
      [15, 'other way'],
      [105, 1],
      [105, 2],
      [105, 3],
      [110, 4],
    ]);
  });

  it('sim.heal mends links, ends clogs, and no rate strikes any more', () => {
    const { sim, network, arrivals } = noting(['a', 'b', 'c'], { drop: 1, duplicate: 1, ...fixed });
    network.isolate('a');
    network.clog('b', 'c', second);
    sim.heal();
    for (let i = 0; i < 100; i++) for (const from of ['a', 'b', 'c']) network.broadcast(from, i);
    sim.run();
    expect(arrivals).to.have.length(600);
    expect(sim.now).to.equal(10);
  });
});

describe('Network: what is sent', () => {
  const exchange = (message: unknown): unknown => {
    const { sim, network, arrivals } = noting(['a', 'b']);
    network.send('a', 'b', message);
    sim.run();
    return arrivals[0].message;
  };

  it('plain data is the same object, frozen to its depths, so that neither end can change it', () => {
    const entry = { term: 1 };
    const message = { type: 'append', entries: [entry], nested: { deep: [[{ x: 1 }]] } };
    const received = exchange(message) as typeof message;
    expect(received).to.equal(message);
    expect(() => received.entries.push(entry)).to.throw(TypeError);
    expect(() => (received.entries[0].term = 2)).to.throw(TypeError);
    expect(() => (message.nested.deep[0][0].x = 2)).to.throw(TypeError);
    expect(() => (message.type = 'x')).to.throw(TypeError);
  });

  it('what holds itself comes as a copy', () => {
    const message: Record<string, unknown> = { list: [] };
    message.self = message;
    const received = exchange(message) as typeof message;
    expect(received).to.not.equal(message);
    expect(received.self).to.equal(received);
  });

  it('bytes, maps, sets and dates come as copies', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const message = {
      bytes,
      map: new Map([['k', [1]]]),
      set: new Set([1]),
      date: new Date(5),
      buffer: Buffer.from('x'),
    };
    const received = exchange(message) as typeof message;
    bytes[0] = 9;
    message.map.set('k', [2]);
    message.set.clear();
    message.date.setTime(6);
    expect([...received.bytes]).to.deep.equal([1, 2, 3]);
    expect([...received.map]).to.deep.equal([['k', [1]]]);
    expect([...received.set]).to.deep.equal([1]);
    expect(received.date.getTime()).to.equal(5);
  });

  it('bytes deep in a message are copied each time it is sent', () => {
    const { sim, network, arrivals } = noting(['a', 'b']);
    const bytes = Uint8Array.of(1);
    const message = { nested: { list: [{ bytes }] } };
    network.send('a', 'b', message);
    bytes[0] = 2;
    network.send('a', 'b', message);
    bytes[0] = 3;
    sim.run();
    const contents = arrivals.map((one) => (one.message as typeof message).nested.list[0].bytes[0]);
    expect(contents).to.deep.equal([1, 2]);
  });

  it('bytes that change between two sends are what they were at each', () => {
    const { sim, network, arrivals } = noting(['a', 'b']);
    const bytes = Uint8Array.of(1);
    network.send('a', 'b', bytes);
    bytes[0] = 2;
    network.send('a', 'b', bytes);
    sim.run();
    expect(arrivals.map(({ message }) => [...(message as Uint8Array)])).to.deep.equal([[1], [2]]);
  });

  it('anything else is what it is', () => {
    for (const value of [undefined, null, 5, 'text', true, 10n, exchange]) {
      expect(exchange(value)).to.equal(value);
    }
  });
});

describe('Network: several of them', () => {
  it('in one simulation decide independently', () => {
    const sim = new Sim({ seed: 3 });
    const times: number[][] = [];
    for (let i = 0; i < 2; i++) {
      const network = new Network(sim, { delay: { min: 0, max: millisecond }, reorder: 1 });
      const at: number[] = [];
      times.push(at);
      network.register('a', () => {});
      network.register('b', () => at.push(sim.now));
      for (let j = 0; j < 10; j++) network.send('a', 'b', j);
    }
    sim.run();
    expect(times[0]).to.have.length(10);
    expect(times[0]).to.not.deep.equal(times[1]);
  });
});
