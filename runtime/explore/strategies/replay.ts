/**
 * Replay: the deviations of a schedule and no others.
 */

import { Kind, noDeviation, type Strategy } from '../../kernel/choice.js';
import { hashString, mix } from '../../kernel/hash.js';
import { hashOfPath } from '../../tasks/task.js';
import type { ScopePlan } from '../plan.js';
import type { NamedDeviation, Schedule } from '../schedule.js';

/**
 * The plan that replays a schedule.
 * @param test the scope (full title) that deviations without a scope belong to; every scope when
 *   it is left out
 */
export function schedulePlan(schedule: Schedule, test?: string): ScopePlan {
  return (scope) => {
    const own = schedule.deviations.filter((d) =>
      d.scope === '' ? test === undefined || scope === test : d.scope === scope,
    );
    return { rung: schedule.rung, strategy: own.length === 0 ? noDeviation : replay(own, scope) };
  };
}

function replay(deviations: readonly NamedDeviation[], scope: string): Strategy {
  const values = new Map<number, number>();
  let bytesSeed = 0;
  for (const d of deviations) {
    if (d.kind === Kind.Bytes) bytesSeed = d.value;
    else values.set(identity(keyOf(d, scope), d.occurrence), d.value);
  }
  return {
    bytesSeed,
    delay: ({ key, occurrence, limit }) =>
      Math.min(limit, values.get(identity(key, occurrence)) ?? 0),
    value: (key, occurrence) => values.get(identity(key, occurrence)),
    strikes: (_kind, key, occurrence) => values.has(identity(key, occurrence)),
    latency: (_kind, key, occurrence) => values.get(identity(key, occurrence)) ?? 0,
  };
}

/** One number for a choice: its 31-bit key and its occurrence. */
export function identity(key: number, occurrence: number): number {
  return key * 4194304 + occurrence;
}

/** The key that the choice has in a run: see `EventLoop.choose`. */
function keyOf(d: NamedDeviation, scope: string): number {
  return mix(mix(hashOfPath(scope, d.task), hashString(d.site)), d.kind) >>> 1;
}
