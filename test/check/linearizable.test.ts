/** The linearizability checker against the definition, known examples and long histories. */

import { expect } from 'chai';
import { type History, type Operation } from '../../runtime/check/history.js';
import { checkLinearizable } from '../../runtime/check/linearizable.js';
import type { Model } from '../../runtime/check/model.js';
import {
  lockModel,
  mapModel,
  queueModel,
  registerModel,
  setModel,
  type LockInput,
  type MapInput,
  type QueueInput,
  type RegisterInput,
  type SetInput,
} from '../../runtime/check/models.js';
import { linearizable } from './brute-force.js';
import { randomHistory, randomOf, type Random } from './random.js';

const registerInput = (random: Random): RegisterInput<number> =>
  random.pick<() => RegisterInput<number>>([
    () => ({ op: 'read' }),
    () => ({ op: 'write', value: random.below(3) }),
    () => ({ op: 'compareAndSet', expected: random.below(3), value: random.below(3) }),
  ])();

const mapInput = (random: Random): MapInput<number> =>
  random.pick<(key: string) => MapInput<number>>([
    (key) => ({ op: 'get', key }),
    (key) => ({ op: 'put', key, value: random.below(3) }),
    (key) => ({ op: 'delete', key }),
  ])(random.pick(['x', 'y']));

const queueInput = (random: Random): QueueInput<number> =>
  random.below(2) === 0 ? { op: 'dequeue' } : { op: 'enqueue', value: random.below(2) };

const lockInput = (random: Random): LockInput => ({ op: random.pick(['acquire', 'release']) });

const setInput = (random: Random): SetInput<number> => ({
  op: random.pick(['add', 'remove', 'has']),
  value: random.below(2),
});

/** The model without its partition, so that the definition sees the whole object. */
function whole<I>(
  model: Model<NonNullable<unknown>, I, unknown>,
): Model<NonNullable<unknown>, I, unknown> {
  const { partition, ...rest } = model;
  if (partition === undefined) return model;
  return {
    ...rest,
    init: () => new Map<string, NonNullable<unknown>>(),
    step(state, operation) {
      const parts = state as Map<string, NonNullable<unknown>>;
      const part = partition(operation.input);
      const next = model.step(parts.get(part) ?? model.init(), operation);
      return next === undefined ? undefined : new Map(parts).set(part, next);
    },
    key: (state) =>
      [...(state as Map<string, NonNullable<unknown>>)]
        .map(([part, value]) => `${part}=${model.key(value)}`)
        .sort()
        .join(),
  };
}

/** Verdicts of checker and definition on random histories, whose answers are mostly right. */
function compare<I>(
  model: Model<NonNullable<unknown>, I, unknown>,
  input: (random: Random) => I,
  answers: readonly unknown[],
): { ok: number; violation: number } {
  const counts = { ok: 0, violation: 0 };
  const object = whole(model);
  for (let seed = 1; seed <= 1000; seed++) {
    const random = randomOf(seed);
    let state = object.init();
    const answer = (asked: I, client: string): unknown => {
      const operation = { client, input: asked, output: undefined, pending: true };
      const possible = answers.filter((output) => {
        const answered = { ...operation, output, pending: false } as Operation<I, unknown>;
        return object.step(state, answered) !== undefined;
      });
      if (possible.length === 0 || random.below(8) === 0) return random.pick(answers);
      const output = random.pick(possible);
      const answered = { ...operation, output, pending: false } as Operation<I, unknown>;
      state = object.step(state, answered)!;
      return output;
    };
    const size = { clients: 3, operations: 6, crash: 5 };
    const history = randomHistory(random, size, () => input(random), answer);
    const expected = linearizable(history.operations, object);
    const result = checkLinearizable(history, model);
    expect(result.ok, `seed ${seed}: ${JSON.stringify(history.operations)}`).to.equal(expected);
    if (!result.ok && result.verdict === 'violation') {
      expectSmallest(result.window, history, model);
    }
    counts[expected ? 'ok' : 'violation']++;
  }
  return counts;
}

/**
 * A window cannot be ordered whatever those around it did; without any one of its answers it can.
 * What was answered before it began counts, since the window tells the states it may have led to.
 */
function expectSmallest<I>(
  window: readonly Operation<I, unknown>[],
  history: History<I, unknown>,
  model: Model<NonNullable<unknown>, I, unknown>,
): void {
  const { partition = () => '' } = model;
  const part = partition(window[0].input);
  const all = history.operations.filter(({ input }) => partition(input) === part);
  const kept = all.filter((one) => window.includes(one));
  expect(kept.length, 'operations of the history').to.equal(window.length).and.above(0);
  const answered = all.filter(({ to }) => to < Infinity);
  // The last moment before the window at which nothing was under way.
  const moments = answered.map(({ to }) => to).filter((to) => to < kept[0].from);
  const quiet = moments.filter((at) => answered.every(({ from, to }) => from > at || to <= at));
  const moment = Math.max(-1, ...quiet);
  const ordered = (without?: Operation<I, unknown>): boolean => {
    const entries = all.map((one) => {
      const known = one.to <= moment || (kept.includes(one) && one !== without);
      return known ? one : { ...one, pending: true, output: undefined, to: Infinity };
    });
    return linearizable(entries, model);
  };
  expect(ordered()).to.equal(false);
  for (const one of kept) expect(ordered(one), 'without one answer').to.equal(true);
}

describe('checkLinearizable, beside the definition, on random histories', function () {
  this.timeout(60_000);

  const numbers = [0, 1, 2, undefined];
  const both = [true, false];
  const cases: [string, () => { ok: number; violation: number }][] = [
    ['register', () => compare(registerModel(0), registerInput, [...numbers, ...both])],
    ['map', () => compare(mapModel<number>(), mapInput, numbers)],
    ['queue', () => compare(queueModel<number>(), queueInput, numbers)],
    ['lock', () => compare(lockModel(), lockInput, both)],
    ['set', () => compare(setModel<number>(), setInput, both)],
  ];
  for (const [name, run] of cases) {
    it(`gives the same verdicts on a ${name}, both of them often`, () => {
      const { ok, violation } = run();
      expect(ok).to.be.greaterThan(50);
      expect(violation).to.be.greaterThan(50);
    });
  }
});
