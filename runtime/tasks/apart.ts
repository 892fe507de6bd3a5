/**
 * Work that happens once a process, in the middle of a run: loading packages. A trace must not show
 * whether it had been done before.
 */

import { active } from './scheduler.js';

/** Does work of which a recorder takes no notice. */
export function apart<T>(work: () => T): T {
  const goOn = active.scheduler?.recorder?.pause?.();
  try {
    return work();
  } finally {
    goOn?.();
  }
}
