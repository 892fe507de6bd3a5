/**
 * Models of the objects that programs share most: register, map, set, queue and lock.
 *
 * Where an operation has nothing to answer, its answer may be anything.
 */

import { formatValue, type Value } from './format.js';
import type { Operation } from './history.js';
import type { Model } from './model.js';

/** Whether an operation may have this answer: it has it, or none at all. */
function answers({ pending, output }: Operation, expected: unknown): boolean {
  return pending || Object.is(output, expected);
}

export type RegisterInput<T extends Value> =
  | { readonly op: 'read' }
  | { readonly op: 'write'; readonly value: T }
  | { readonly op: 'compareAndSet'; readonly expected: T; readonly value: T };

/** One value. `read` answers with it, `compareAndSet` with whether it has set it. */
export function registerModel<T extends Value>(
  initial: T,
): Model<{ readonly value: T }, RegisterInput<T>, unknown> {
  return {
    name: 'register',
    readOnly: ({ op }) => op === 'read',
    init: () => ({ value: initial }),
    step(state, operation) {
      const { input } = operation;
      if (input.op === 'read') return answers(operation, state.value) ? state : undefined;
      if (input.op === 'write') return { value: input.value };
      const equal = Object.is(state.value, input.expected);
      if (!answers(operation, equal)) return undefined;
      return equal ? { value: input.value } : state;
    },
    key: ({ value }) => formatValue(value),
  };
}

export type MapInput<T extends Value> =
  | { readonly op: 'get'; readonly key: string }
  | { readonly op: 'put'; readonly key: string; readonly value: T }
  | { readonly op: 'delete'; readonly key: string };

/** Values by key, none at the start. `get` answers with the value, or `undefined`. */
export function mapModel<T extends Value>(): Model<
  { readonly value: T | undefined },
  MapInput<T>,
  unknown
> {
  return {
    name: 'map',
    partition: ({ key }) => key,
    readOnly: ({ op }) => op === 'get',
    init: () => ({ value: undefined }),
    step(state, operation) {
      const { input } = operation;
      if (input.op === 'get') return answers(operation, state.value) ? state : undefined;
      return { value: input.op === 'put' ? input.value : undefined };
    },
    key: ({ value }) => formatValue(value),
  };
}

export interface SetInput<T extends Value> {
  readonly op: 'add' | 'remove' | 'has';
  readonly value: T;
}

/** Values, none at the start. `add` and `remove` answer with whether they changed it. */
export function setModel<T extends Value>(): Model<
  { readonly present: boolean },
  SetInput<T>,
  unknown
> {
  return {
    name: 'set',
    partition: ({ value }) => formatValue(value),
    readOnly: ({ op }) => op === 'has',
    init: () => ({ present: false }),
    step({ present }, operation) {
      const { op } = operation.input;
      const changed = op !== 'has' && present === (op === 'remove');
      if (!answers(operation, op === 'has' ? present : changed)) return undefined;
      return { present: op === 'has' ? present : op === 'add' };
    },
    key: ({ present }) => (present ? 'present' : 'absent'),
  };
}

export type QueueInput<T extends Value> =
  { readonly op: 'enqueue'; readonly value: T } | { readonly op: 'dequeue' };

/** First in, first out. `dequeue` answers with the value, or `undefined` if there is none. */
export function queueModel<T extends Value>(): Model<readonly T[], QueueInput<T>, unknown> {
  return {
    name: 'queue',
    init: () => [],
    step(state, operation) {
      const { input } = operation;
      if (input.op === 'enqueue') return [...state, input.value];
      return answers(operation, state[0]) ? state.slice(1) : undefined;
    },
    key: (state) => `[${state.map(formatValue).join(', ')}]`,
  };
}

export interface LockInput {
  readonly op: 'acquire' | 'release';
}

/**
 * A lock that one client holds at a time, and that the same client releases. `acquire` answers with
 * whether it has the lock; one that waits answers when it has.
 */
export function lockModel(): Model<{ readonly holder: string | undefined }, LockInput, unknown> {
  return {
    name: 'lock',
    init: () => ({ holder: undefined }),
    step(state, operation) {
      const { client, input, pending } = operation;
      if (input.op === 'release')
        return state.holder === client ? { holder: undefined } : undefined;
      const free = state.holder === undefined;
      // An acquisition without an answer that finds the lock held has no effect yet.
      if (pending) return free ? { holder: client } : undefined;
      if (!answers(operation, free)) return undefined;
      return free ? { holder: client } : state;
    },
    key: ({ holder }) => (holder === undefined ? 'free' : `held by ${holder}`),
  };
}
