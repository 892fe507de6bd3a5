/**
 * What can go wrong with the messages of a link, and how long they take.
 */

import { checkNames, checkRate } from '../kernel/arguments.js';
import type { Spread } from '../kernel/choice.js';
import { spreadOf, type DelayRange } from '../kernel/spread.js';

/** Each rate is the share of messages that the fault strikes, from 0 to 1. */
export interface NetworkFaults {
  /** Rate at which a message is lost on its way. Default 0. */
  readonly drop?: number;
  /** Rate at which a message arrives twice. Default 0. */
  readonly duplicate?: number;
  /**
   * Rate at which a message leaves the order of its link: it takes its own time, and neither waits
   * for those sent before it nor holds up those sent after. Default 0: first sent, first come.
   */
  readonly reorder?: number;
  /** How long a message takes. Default 1 to 10 ms, uniform. */
  readonly delay?: DelayRange;
}

/** The faults of a link, checked, with the spread of its delays. */
export interface LinkFaults extends Required<NetworkFaults> {
  readonly spread: Spread;
}

const DEFAULTS = { drop: 0, duplicate: 0, reorder: 0, delay: { min: 1e6, max: 10e6 } };

/**
 * Checks faults and completes them from those that held before.
 * @throws {RangeError | TypeError} with the call and the value that is wrong
 */
export function resolveFaults(call: string, given: NetworkFaults, before?: LinkFaults): LinkFaults {
  checkNames(call, given, Object.keys(DEFAULTS));
  const { drop, duplicate, reorder, delay } = { ...(before ?? DEFAULTS), ...given };
  checkRate(call, 'drop', drop);
  checkRate(call, 'duplicate', duplicate);
  checkRate(call, 'reorder', reorder);
  const spread = delay === before?.delay ? before.spread : spreadOf(call, 'delay', delay);
  return { drop, duplicate, reorder, delay, spread };
}
