/** The definition of linearizability, tried word by word: every order of every choice. */

import type { Entry } from '../../runtime/check/history.js';
import type { Model } from '../../runtime/check/model.js';

/** Whether some order of all completed operations and some pending ones explains the answers. */
export function linearizable<State extends NonNullable<unknown>, I, O>(
  entries: readonly Entry<I, O>[],
  model: Model<State, I, O>,
): boolean {
  const extend = (state: State, left: readonly Entry<I, O>[]): boolean => {
    if (left.every(({ pending }) => pending)) return true;
    return left.some((entry) => {
      if (left.some((other) => other.to < entry.from)) return false;
      const next = model.step(state, entry);
      const others = left.filter((other) => other !== entry);
      return next !== undefined && extend(next, others);
    });
  };
  return extend(model.init(), entries);
}
