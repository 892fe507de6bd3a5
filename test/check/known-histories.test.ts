/** Histories from the literature, what a violation looks like, long histories, and the recorder. */

import { expect } from 'chai';
import { History } from '../../runtime/check/history.js';
import { checkLinearizable } from '../../runtime/check/linearizable.js';
import {
  lockModel,
  mapModel,
  queueModel,
  registerModel,
  type LockInput,
  type MapInput,
  type QueueInput,
  type RegisterInput,
} from '../../runtime/check/models.js';
import { randomHistory, randomOf } from './random.js';

type Row<I> = readonly [
  client: string,
  input: I,
  output: unknown,
  invoked: number,
  returned: number,
];

function historyOf<I>(...rows: readonly Row<I>[]): History<I, unknown> {
  return History.of<I, unknown>(
    rows.map(([client, input, output, invoked, returned]) => {
      return { client, input, output, invoked, returned };
    }),
  );
}

const enqueue = (value: string): QueueInput<string> => ({ op: 'enqueue', value });
const dequeue: QueueInput<string> = { op: 'dequeue' };
const write = (value: number): RegisterInput<number> => ({ op: 'write', value });
const read: RegisterInput<number> = { op: 'read' };

describe('checkLinearizable on the queues of Herlihy and Wing', () => {
  const ok = (...rows: readonly Row<QueueInput<string>>[]) =>
    checkLinearizable(historyOf(...rows), queueModel<string>()).ok;

  it('accepts overlapping enqueues that are dequeued in the other order', () => {
    expect(
      ok(
        ['A', enqueue('x'), undefined, 0, 30],
        ['B', enqueue('y'), undefined, 10, 20],
        ['B', dequeue, 'y', 40, 60],
        ['A', dequeue, 'x', 50, 70],
      ),
    ).to.equal(true);
  });

  it('refuses a dequeue that overtakes an earlier value', () => {
    expect(
      ok(
        ['A', enqueue('x'), undefined, 0, 10],
        ['B', enqueue('y'), undefined, 20, 30],
        ['A', dequeue, 'y', 40, 50],
      ),
    ).to.equal(false);
  });

  it('accepts a dequeue of a value whose enqueue has not returned', () => {
    expect(ok(['A', enqueue('x'), undefined, 0, Infinity], ['B', dequeue, 'x', 10, 20])).to.equal(
      true,
    );
  });

  it('refuses two dequeues of one value', () => {
    expect(
      ok(
        ['A', enqueue('x'), undefined, 0, 10],
        ['B', enqueue('y'), undefined, 20, 30],
        ['A', dequeue, 'y', 40, 60],
        ['C', dequeue, 'y', 50, 70],
      ),
    ).to.equal(false);
  });
});

describe('a violation', () => {
  const textOf = (history: History<RegisterInput<number>, unknown>): string => {
    const result = checkLinearizable(history, registerModel(0));
    return result.ok ? 'linearizable' : result.text;
  };

  it('is told by its smallest window: a stale read', () => {
    const before: Row<RegisterInput<number>>[] = Array.from({ length: 100 }, (_, i) => {
      return ['A', write(i), undefined, i * 10, i * 10 + 5];
    });
    const text = textOf(historyOf(...before, ['C', read, 98, 1500, 3000]));
    expect(text.split('\n')).to.deep.equal([
      'not linearizable (register): no order explains this operation',
      '  before: 99',
      '  client  operation   invoked  answered',
      '  C       read -> 98  1.5 µs   3 µs      [=]',
    ]);
  });

  it('is told by its smallest window: a value that goes away again', () => {
    const text = textOf(
      historyOf(
        ['A', write(1), undefined, 0, 9000],
        ['B', read, 1, 1000, 2000],
        ['D', read, 1, 2500, 6000],
        ['C', read, 0, 3000, 4000],
        ['E', write(2), undefined, 3500, Infinity],
      ),
    );
    expect(text.split('\n')).to.deep.equal([
      'not linearizable (register): no order explains these 2 operations, whatever 3 others did',
      '  before: 0',
      '  client  operation  invoked  answered',
      '  B       read -> 1  1 µs     2 µs      [=]',
      '  C       read -> 0  3 µs     4 µs          [=]',
    ]);
  });

  it('names the part of the object', () => {
    const get = (key: string): MapInput<number> => ({ op: 'get', key });
    const rows: Row<MapInput<number>>[] = [
      ['A', { op: 'put', key: 'x', value: 1 }, undefined, 0, 1],
      ['A', get('y'), undefined, 2, 3],
      ['B', get('x'), undefined, 4, 5],
    ];
    const result = checkLinearizable(historyOf(...rows), mapModel<number>());
    expect(result).to.have.property('text').that.includes('(map, x)').and.includes('  before: 1\n');
  });

  it('is found in a lock that two clients hold', () => {
    const acquire: LockInput = { op: 'acquire' };
    const held = historyOf(['A', acquire, true, 0, 1], ['B', acquire, true, 2, 3]);
    const result = checkLinearizable(held, lockModel());
    expect(result).to.have.property('text').that.includes('before: held by A');
    const waits = historyOf(['A', acquire, true, 0, 1], ['B', acquire, undefined, 2, Infinity]);
    expect(checkLinearizable(waits, lockModel()).ok).to.equal(true);
  });
});

describe('a history of 2,000 operations', function () {
  this.timeout(60_000);

  /** A map of which every read is right, or the 1,800th effect is a read of what nobody wrote. */
  const recorded = (clients: number, crash: number, wrong: boolean) => {
    const random = randomOf(clients);
    const values = new Map<string, number>();
    let effects = 0;
    const input = (): MapInput<number> => {
      const key = `k${random.below(5)}`;
      if (random.below(2) === 0) return { op: 'get', key };
      return { op: 'put', key, value: random.below(1000) };
    };
    return randomHistory<MapInput<number>, unknown>(
      random,
      { clients, operations: 2000, crash },
      input,
      (asked) => {
        if (++effects >= 1800 && asked.op === 'get' && wrong) return -1;
        if (asked.op === 'put') values.set(asked.key, asked.value);
        return values.get(asked.key);
      },
    );
  };

  for (const [clients, crash] of [
    [5, Infinity],
    [10, Infinity],
    [10, 100],
  ] as const) {
    const crashes = crash === Infinity ? 'no crash' : 'crashes';
    it(`is decided, with ${clients} clients and ${crashes}`, () => {
      expect(checkLinearizable(recorded(clients, crash, false), mapModel<number>()).ok).to.be.true;
      const result = checkLinearizable(recorded(clients, crash, true), mapModel<number>());
      expect(result).to.have.property('verdict', 'violation');
    });
  }

  it('is not decided with too little work, and that is said', () => {
    const result = checkLinearizable(recorded(10, 100, false), mapModel(), { maxSteps: 100 });
    expect(result).to.have.property('verdict', 'unknown');
    expect(result).to.have.property('text').that.includes('100 steps of the model did not suffice');
  });
});

describe('a recorder', () => {
  it('takes times from its clock, and knows the order of events at one time', () => {
    const clock = { now: 5 };
    const history = new History<RegisterInput<number>, unknown>(clock);
    history.invoke('A', write(1)).complete(undefined);
    history.invoke('B', read).complete(0);
    expect(history.operations.map(({ invoked, returned }) => [invoked, returned])).to.deep.equal([
      [5, 5],
      [5, 5],
    ]);
    // Were they taken to overlap, this would be in order.
    expect(checkLinearizable(history, registerModel(0)).ok).to.equal(false);
  });

  it('leaves out what has certainly had no effect, and keeps what may have had one', () => {
    const history = new History<RegisterInput<number>, unknown>({ now: 0 });
    history.invoke('A', write(1)).discard();
    history.invoke('B', read).complete(1);
    expect(checkLinearizable(history, registerModel(0)).ok).to.equal(false);

    const pending = new History<RegisterInput<number>, unknown>({ now: 0 });
    pending.invoke('A', write(1));
    pending.invoke('B', read).complete(1);
    expect(checkLinearizable(pending, registerModel(0)).ok).to.equal(true);
  });

  it('refuses a second answer, and an answer before the question', () => {
    const history = new History<RegisterInput<number>, unknown>({ now: 0 });
    const answered = history.invoke('A', read);
    answered.complete(0);
    expect(() => answered.complete(0)).to.throw('client A has its answer already');
    const discarded = history.invoke('B', read);
    discarded.discard();
    expect(() => discarded.complete(0)).to.throw('client B was discarded already');
    expect(() => historyOf(['A', read, 0, 10, 5])).to.throw(RangeError, 'returned at 5 ns, before');
  });
});
