/**
 * What clients asked of an object and what it answered, in the order in which that happened.
 *
 * A history is recorded while a simulation runs. Two events at one virtual time still have an
 * order, that in which they were recorded, so that an operation that returned before another one
 * was invoked is known to precede it.
 */

import { formatTime } from './format.js';

/** One operation of a client on the object. */
export interface Operation<Input = unknown, Output = unknown> {
  readonly client: string;
  readonly input: Input;
  /** What the object answered; `undefined` while the operation is pending. */
  readonly output: Output | undefined;
  /** Virtual time of the invocation, in nanoseconds. */
  readonly invoked: number;
  /** Virtual time of the answer, in nanoseconds; `Infinity` while the operation is pending. */
  readonly returned: number;
  /** There was no answer: the operation may have taken effect, at any time, or may not. */
  readonly pending: boolean;
}

/** An operation with its place in the order of all events of its history. */
export interface Entry<Input, Output> extends Operation<Input, Output> {
  /** Counts invocations and answers together, from 0. */
  readonly from: number;
  /** `Infinity` while the operation is pending. */
  readonly to: number;
}

/** An operation that was invoked, and waits for its answer. */
export interface Invocation<Output> {
  /** Records the answer, now. */
  complete(output: Output): void;
  /**
   * Takes the operation out of the history: it is certain that it neither has taken nor will take
   * effect. Where that is not certain, leave it pending.
   */
  discard(): void;
}

/** A history of operations, for {@link checkLinearizable}. */
export class History<Input, Output> {
  readonly #clock: { readonly now: number };
  readonly #entries: (Entry<Input, Output> | undefined)[] = [];
  #events = 0;

  /** @param clock what has the virtual time, such as the simulation */
  constructor(clock: { readonly now: number }) {
    this.#clock = clock;
  }

  /**
   * A history that was recorded elsewhere. Of events at one time, invocations come first:
   * operations that only touch may be in either order.
   * @throws RangeError if an operation returns before it was invoked
   */
  static of<Input, Output>(
    operations: readonly Omit<Operation<Input, Output>, 'pending'>[],
  ): History<Input, Output> {
    const wrong = operations.find(({ invoked, returned }) => !(returned >= invoked));
    if (wrong !== undefined) {
      const { client, invoked, returned } = wrong;
      const times = `${formatTime(returned)}, before it was invoked, at ${formatTime(invoked)}`;
      throw new RangeError(`An operation of client ${client} returned at ${times}.`);
    }
    const clock = { now: 0 };
    const history = new History<Input, Output>(clock);
    const invocations = new Map<(typeof operations)[number], Invocation<Output>>();
    const starts = operations.map((operation) => ({ operation, time: operation.invoked }));
    const ends = operations
      .filter(({ returned }) => returned < Infinity)
      .map((operation) => ({ operation, time: operation.returned }));
    // Sorting is stable, and invocations stand in front.
    for (const { operation, time } of [...starts, ...ends].sort((a, b) => a.time - b.time)) {
      clock.now = time;
      const invocation = invocations.get(operation);
      if (invocation !== undefined) invocation.complete(operation.output as Output);
      else invocations.set(operation, history.invoke(operation.client, operation.input));
    }
    return history;
  }

  /** Records that `client` asks for `input`, now. */
  invoke(client: string, input: Input): Invocation<Output> {
    const at = this.#entries.length;
    const from = this.#events++;
    const invoked = this.#clock.now;
    const pending = { output: undefined, returned: Infinity, pending: true, to: Infinity };
    this.#entries.push({ client, input, invoked, from, ...pending });
    const current = (what: string): Entry<Input, Output> => {
      const entry = this.#entries[at];
      if (entry?.pending === true) return entry;
      const ended = entry === undefined ? 'was discarded' : 'has its answer';
      throw new Error(`The operation of client ${client} ${ended} already: it cannot ${what}.`);
    };
    return {
      complete: (output) => {
        const answer = { output, returned: this.#clock.now, pending: false, to: this.#events++ };
        this.#entries[at] = { ...current('be completed'), ...answer };
      },
      discard: () => {
        current('be discarded');
        this.#entries[at] = undefined;
      },
    };
  }

  /** The operations so far, in the order of their invocations. */
  get operations(): readonly Entry<Input, Output>[] {
    return this.#entries.filter((entry) => entry !== undefined);
  }
}
