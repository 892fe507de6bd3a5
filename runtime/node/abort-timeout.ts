/**
 * `AbortSignal.timeout`: a signal that a virtual timer aborts.
 */

import { patch } from './facade.js';
import { simulated } from './simulated.js';
import { Timeout } from './timeout.js';

const { apply } = Reflect;
const LONGEST = 2 ** 32 - 1;

export function installAbortTimeout(): void {
  patch(
    AbortSignal,
    'timeout',
    'AbortSignal.timeout',
    (real: (milliseconds: number) => AbortSignal) => {
      return function (this: unknown, delay: number): AbortSignal {
        const scheduler = simulated();
        const valid = Number.isInteger(delay) && delay >= 0 && delay <= LONGEST;
        if (scheduler === undefined || !valid) return apply(real, this, [delay]);
        const controller = new AbortController();
        const abort = (): void =>
          controller.abort(
            new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
          );
        new Timeout(scheduler, abort, delay, undefined, { repeat: false, ref: false });
        return controller.signal;
      };
    },
  );
}
