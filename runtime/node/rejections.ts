/**
 * Promises that reject and that nobody handles. Node reports one by an event of the process, from
 * inside the drain of microtasks; while a simulation runs it belongs to the simulation.
 */

import process from 'node:process';
import { processEnded } from '../hosts/process-ended.js';

/** Who takes unhandled rejections now; the process itself when it is undefined. */
export const rejections: { take: ((reason: unknown, promise: unknown) => void) | undefined } = {
  take: undefined,
};

let installed = false;

/** Puts the guard in place, once a process. */
export function guardRejections(): void {
  if (installed) return;
  installed = true;
  const { emit } = process;
  process.emit = function (this: NodeJS.Process, event: string, ...args: unknown[]): boolean {
    const { take } = rejections;
    if (take === undefined || event !== 'unhandledRejection') {
      return Reflect.apply(emit, this, [event, ...args]) as boolean;
    }
    if (args[0] !== processEnded) take(args[0], args[1]);
    return true;
  } as typeof process.emit;
}
