/**
 * What an object is meant to do, as if one operation at a time took effect on it.
 */

import type { Operation } from './history.js';

/** A sequential specification. Nothing that it is given may be changed. */
export interface Model<State extends NonNullable<unknown>, Input, Output> {
  /** What reports call the object. */
  readonly name: string;
  /** The state before the first operation. */
  init(): State;
  /**
   * The state after an operation, or `undefined` if an object in this state cannot give that
   * answer. For a pending operation there is no answer to compare: it gives the state after its
   * effect.
   */
  step(state: State, operation: Operation<Input, Output>): State | undefined;
  /** A text that is the same for equal states, and for no others. Reports show it. */
  key(state: State): string;
  /**
   * The part of the object that an operation concerns, such as its key in a map. Parts with
   * different names must not affect each other; each is checked alone, which is much faster.
   */
  partition?(input: Input): string;
  /** Whether an operation never changes the state; knowing that saves much work. */
  readOnly?(input: Input): boolean;
}
