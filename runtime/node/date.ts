/**
 * `Date`, with the simulation's clock.
 *
 * The facade has the real prototype, so every date is an instance of both; it can be called without
 * `new`, and extended. A date that is made from arguments never asks the clock.
 */

import { readDate } from './clock.js';
import { patch } from './facade.js';
import { pristine } from './pristine.js';
import { simulated } from './simulated.js';

const RealDate = pristine.Date;
const realNow = RealDate.now;
const { construct } = Reflect;

function VirtualDate(this: unknown, ...args: unknown[]): unknown {
  const scheduler = simulated();
  if (new.target === undefined) {
    return scheduler === undefined ? RealDate() : new RealDate(readDate(scheduler)).toString();
  }
  if (args.length === 0 && scheduler !== undefined) args.push(readDate(scheduler));
  return construct(RealDate, args, (new.target as unknown) === VirtualDate ? RealDate : new.target);
}

function now(): number {
  const scheduler = simulated();
  return scheduler === undefined ? realNow() : readDate(scheduler);
}

export function installDate(): void {
  patch(globalThis, 'Date', 'globalThis.Date', () => VirtualDate);
  patch(VirtualDate, 'now', 'Date.now', () => now);
  patch(RealDate.prototype, 'constructor', 'Date.prototype.constructor', () => VirtualDate);
}
