/**
 * The orders of detsim's own primitives. A body that uses channels and locks asks for their orders,
 * so what is found there is no question of whether an await can take long.
 */

import { Kind } from '../kernel/choice.js';
import type { Schedule } from '../explore/schedule.js';

/** Whether nothing else than operations of primitives deviates. */
export function onlyOperations({ deviations }: Schedule): boolean {
  return deviations.every(({ kind }) => kind === Kind.Operation || kind === Kind.Select);
}
