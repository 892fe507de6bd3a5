/**
 * The points that are held: yield points and timers of stand-ins whose time has come, and which a
 * strategy lets go one by one.
 *
 * What a strategy decides so is a delay like any other: the time from when the point was ready
 * until it was let go. So a run in which everything was held is replayed by a list of delays.
 */

import { HOLD, type Decision, type Held, type Strategy } from './choice.js';

/** Lets a held point go, a little later than now. Returns when it is due then, in nanoseconds. */
export type Release = () => number;

/** A decision that is still to be made. */
interface Pending extends Decision {
  value: number;
}

interface HeldPoint extends Held {
  readonly decision: Pending;
  readonly release: Release;
}

/** A point that is still held when the run ends is later than that by this much. */
const BEYOND_THE_END = 64e6;

export class HeldPoints {
  /** The decisions to be made, by the number that stands for them, from 1. */
  private readonly pending: (Pending | undefined)[] = [undefined];
  private ready: HeldPoint[] = [];

  /** How many are ready to be picked. */
  get size(): number {
    return this.ready.length;
  }

  /** A strategy has answered HOLD. Returns a negative number that stands for the decision. */
  add(decision: Decision): number {
    return 1 - this.pending.push(decision);
  }

  /** What was waited for has come. */
  hold(number: number, since: number, release: Release): void {
    const decision = this.pending[-number]!;
    const { kind, key, occurrence, task, site } = decision;
    this.pending[-number] = undefined;
    this.ready.push({ kind, key, occurrence, task, site, since, decision, release });
  }

  /** The point will never go on: a timer that is cleared. It was not late either. */
  drop(release: Release): void {
    const point = this.ready.find((one) => one.release === release);
    if (point !== undefined) this.take(point).value = 0;
  }

  /**
   * Asks a strategy what goes next, and lets it go.
   * @param next when something else is due
   * @returns the decision that is made by this; undefined when time passes first
   */
  pick(now: number, next: number): Decision | undefined {
    const { strategy } = this.ready[0].task.scope;
    const own = this.ready.filter(({ task }) => task.scope.strategy === strategy);
    const point = own[pickedOf(strategy, own, now, next)];
    if (point === undefined) return undefined;
    const decision = this.take(point);
    decision.value = point.release() - point.since;
    return decision;
  }

  /** The run is over. What never came to be ready was not late. */
  end(now: number): void {
    for (const { decision, since } of this.ready) decision.value = now - since + BEYOND_THE_END;
    this.ready = [];
    for (const decision of this.pending) if (decision?.value === HOLD) decision.value = 0;
  }

  private take(point: HeldPoint): Pending {
    this.ready.splice(this.ready.indexOf(point), 1);
    return point.decision;
  }
}

/** Index of what is picked; -1 for letting time pass, which is possible only up to an event. */
function pickedOf(
  strategy: Strategy,
  points: readonly HeldPoint[],
  now: number,
  next: number,
): number {
  const picked = strategy.pick?.(points, now, next);
  if (picked === undefined) return next === Infinity ? 0 : -1;
  return points.indexOf(picked as HeldPoint);
}
