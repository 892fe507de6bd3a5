/**
 * Crashes that the seed decides: at an operation of I/O that code of a host begins, the power of
 * its machine may fail. It comes back after a while, which is decided as well.
 */

import { Kind } from '../kernel/choice.js';
import { mix } from '../kernel/hash.js';
import { Source } from '../kernel/source.js';
import type { Host } from '../node/host.js';

/** How long a machine is without power, in nanoseconds. */
const LEAST_DOWNTIME = 10e6;
const MOST_DOWNTIME = 1e9;

/**
 * What to do before each operation of a host.
 * @param fail the power fails
 */
export function crashesBySeed(host: Host, fail: () => void): () => void {
  const { scheduler } = host;
  const { loop } = scheduler;
  return () => {
    const rate = host.faults.hosts?.crash ?? 0;
    if (rate === 0 || host.dead) return;
    // Counted by task, so that it does not shift with what other tasks do.
    const source = new Source(scheduler.current.task, `host/${host.name}`);
    const occurrence = loop.ordinal(mix(source.base, Kind.Crash) >>> 1);
    if (loop.strikes(Kind.Crash, source, occurrence, rate)) fail();
  };
}

/** How long the power of a host is away now, in nanoseconds. */
export function downtimeOf({ scheduler, name }: Host): number {
  const { loop } = scheduler;
  const source = new Source(scheduler.scope.task, `host/${name}`);
  const occurrence = loop.ordinal(mix(source.base, Kind.Latency) >>> 1);
  const spread = (fraction: number): number =>
    Math.floor((fraction * (MOST_DOWNTIME - LEAST_DOWNTIME)) / 1e6) * 1e6;
  return LEAST_DOWNTIME + loop.latency(Kind.Latency, source, occurrence, spread);
}
