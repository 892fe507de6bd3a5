/**
 * The search for an order of operations that explains their answers.
 *
 * This is the algorithm of Wing and Gong (JPDC 1993) with the memory of Lowe (CCPE 2017), as
 * Porcupine (Athalye) has it: place one operation after another, always one that was invoked before
 * the first answer among those that are not placed; never go on twice from the same state with the
 * same operations placed. Beyond that, a configuration that equals another one, but has used more
 * pending operations, is dropped, since it can do nothing that the other could not; and an
 * operation that only reads is placed as soon as its answer is right, which gets in the way of
 * nothing.
 */

import type { Entry } from './history.js';
import type { Model } from './model.js';

/** Operations on one part of an object; the completed ones in the order of their invocations. */
export interface Part<Input, Output> {
  readonly completed: readonly Entry<Input, Output>[];
  readonly pending: readonly Entry<Input, Output>[];
}

/** Some operations are placed, and the object is in a state. */
export interface Configuration<State> {
  /** Every completed operation before this index is placed. */
  readonly low: number;
  /** Which completed operations from `low` on are placed; bit 0 is never set. */
  readonly window: bigint;
  /** Which pending operations are placed. */
  readonly used: bigint;
  readonly usedCount: number;
  readonly state: State;
}

/**
 * Which configuration the search goes on from: the one that has placed most, which is quick where
 * an order exists; or one that has used the fewest pending operations, which is quick where none
 * does and there are many of them.
 */
export type Discipline = 'deepest' | 'fewest pending';

/** How much work there may be, in steps of the model. It is counted down. */
export interface Budget {
  steps: number;
}

export interface Problem<State extends NonNullable<unknown>, I, O> {
  readonly part: Part<I, O>;
  readonly model: Model<State, I, O>;
  readonly starts: readonly Configuration<State>[];
}

export interface Found<State> {
  readonly verdict: 'ordered' | 'impossible' | 'unknown';
  /** If it is impossible: the answer up to which the operations can be ordered, but not beyond. */
  readonly furthest: number;
  /** The configurations in which first all operations answered by `moment` were placed. */
  readonly atMoment: readonly Configuration<State>[];
}

/** Splits operations into a part. */
export function partOf<I, O>(entries: readonly Entry<I, O>[]): Part<I, O> {
  return {
    completed: entries.filter(({ pending }) => !pending),
    pending: entries.filter(({ pending }) => pending),
  };
}

export function initial<State>(state: State): Configuration<State> {
  return { low: 0, window: 0n, used: 0n, usedCount: 0, state };
}

/** @param moment see {@link Found.atMoment}; it is complete when no order exists */
export function search<State extends NonNullable<unknown>, I, O>(
  { part: { completed, pending }, model, starts }: Problem<State, I, O>,
  discipline: Discipline,
  budget: Budget,
  moment = -1,
): Found<State> {
  const visited = new Visited(model);
  const open = new Open<State>(discipline);
  const atMoment: Configuration<State>[] = [];
  let furthest = -1;
  const found = (verdict: Found<State>['verdict']) => ({ verdict, furthest, atMoment });
  const add = (configuration: Configuration<State>): void => {
    if (visited.add(configuration)) open.push({ ...configuration, completed: false });
  };

  for (const start of starts) add(start);
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    const { low, state } = current;
    const { next, answer } = candidates(completed, current);
    if (current.completed) {
      for (let i = pending.length - 1; i >= 0; i--) {
        const entry = pending[i];
        if (entry.from > answer || (current.used >> BigInt(i)) & 1n) continue;
        if (model.readOnly?.(entry.input)) continue;
        if (budget.steps-- <= 0) return found('unknown');
        const after = model.step(state, entry);
        if (after === undefined || visited.same(after, state)) continue;
        const used = current.used | (1n << BigInt(i));
        add({ ...current, state: after, used, usedCount: current.usedCount + 1 });
      }
      continue;
    }
    if (low === completed.length) return found('ordered');
    furthest = Math.max(furthest, answer);
    const read = next.find((index) => {
      const entry = completed[index];
      return model.readOnly?.(entry.input) && model.step(state, entry) !== undefined;
    });
    if (read === undefined) open.push({ ...current, completed: true });
    for (const index of read === undefined ? next : [read]) {
      if (budget.steps-- <= 0) return found('unknown');
      const after = model.step(state, completed[index]);
      if (after === undefined) continue;
      const child = placed(current, index, after);
      add(child);
      if (answer <= moment && candidates(completed, child).answer > moment) atMoment.push(child);
    }
  }
  return found('impossible');
}

/** Which completed operations may be placed next, those whose answers come last in front. */
function candidates<State, I, O>(
  completed: readonly Entry<I, O>[],
  { low, window }: Configuration<State>,
): { next: number[]; answer: number } {
  const next: number[] = [];
  let answer = Infinity;
  let bits = window;
  for (let i = low; i < completed.length && completed[i].from < answer; i++, bits >>= 1n) {
    if (bits & 1n) continue;
    answer = Math.min(answer, completed[i].to);
    next.push(i);
  }
  // What is pushed last is tried first: the operation whose answer comes first.
  next.sort((a, b) => completed[b].to - completed[a].to);
  return { next, answer };
}

function placed<State>(
  { used, usedCount, low, window }: Configuration<State>,
  index: number,
  state: State,
): Configuration<State> {
  const bits = window | (1n << BigInt(index - low));
  return normalized({ low, window: bits, used, usedCount, state });
}

/** Moves `low` up to the first completed operation that is not placed. */
export function normalized<State>(configuration: Configuration<State>): Configuration<State> {
  let { low, window } = configuration;
  while (window & 1n) {
    window >>= 1n;
    low++;
  }
  return { ...configuration, low, window };
}

/** The configurations that were met. */
class Visited<State extends NonNullable<unknown>, I, O> {
  /** Sets of pending operations used, by what else is placed and the state. */
  readonly #used = new Map<string, bigint[]>();

  constructor(private readonly model: Model<State, I, O>) {}

  /** Whether this one can do what none of the others could. */
  add({ low, window, used, state }: Configuration<State>): boolean {
    const key = `${low} ${window.toString(36)} ${this.model.key(state)}`;
    const others = this.#used.get(key);
    if (others === undefined) {
      this.#used.set(key, [used]);
      return true;
    }
    if (others.some((other) => (other & used) === other)) return false;
    others.push(used);
    return true;
  }

  same(a: State, b: State): boolean {
    return a === b || this.model.key(a) === this.model.key(b);
  }
}

/** A configuration to go on from: first by completed operations, and later by pending ones. */
interface OpenConfiguration<State> extends Configuration<State> {
  readonly completed: boolean;
}

/** The configurations to go on from; in each bucket the one that came last is first. */
class Open<State> {
  readonly #buckets: OpenConfiguration<State>[][] = [[]];
  #lowest = 0;

  constructor(private readonly discipline: Discipline) {}

  push(configuration: OpenConfiguration<State>): void {
    const { usedCount, completed } = configuration;
    const at = this.discipline === 'deepest' ? 0 : usedCount + (completed ? 1 : 0);
    while (this.#buckets.length <= at) this.#buckets.push([]);
    this.#buckets[at].push(configuration);
    this.#lowest = Math.min(this.#lowest, at);
  }

  pop(): OpenConfiguration<State> | undefined {
    while (this.#lowest < this.#buckets.length - 1 && this.#buckets[this.#lowest].length === 0) {
      this.#lowest++;
    }
    return this.#buckets[this.#lowest].pop();
  }
}
