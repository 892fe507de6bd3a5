/**
 * Waiting for virtual time to pass. Outside a simulation it is the real time, by timers of Node,
 * which go by whole milliseconds.
 */

import type { Effects } from '../../kernel/effects.js';
import { QueuedEvent } from '../../kernel/event-queue.js';
import { MILLISECOND } from '../../kernel/event-loop.js';
import { pristine } from '../../node/pristine.js';
import { active, type Scheduler } from '../scheduler.js';
import { Channel } from './channel.js';
import { OperationSite, perform, Primitive, type Place, type Waiter } from './waiter.js';

const SLEEP = new OperationSite('sleep');

/**
 * Waits.
 * @param nanoseconds of virtual time
 * @throws {RangeError} when it is negative, or no whole number
 */
export function sleep(nanoseconds: number): Promise<void> {
  return perform(clock, SLEEP, checked(nanoseconds)) as Promise<void>;
}

/**
 * A channel on which the time is sent once, after so many nanoseconds of virtual time: for a time
 * limit in a `select`. A run does not go on for its sake when nobody waits for it.
 * @throws {RangeError} when the duration is negative, or no whole number
 */
export function after(nanoseconds: number): Timeout {
  return new Timeout(checked(nanoseconds));
}

/** What {@link after} gives: the value is the time of its end, in nanoseconds. */
export class Timeout extends Channel<number> {
  private readonly alarm: { cancel(): boolean; ref(on: boolean): void };

  constructor(nanoseconds: number) {
    super(1);
    const { scheduler } = active;
    this.alarm =
      scheduler === undefined || scheduler.ended
        ? new RealAlarm(this, nanoseconds)
        : new VirtualAlarm(this, scheduler, nanoseconds);
  }

  /** Nothing will be sent. Returns false when it is too late for that. */
  cancel(): boolean {
    return this.alarm.cancel();
  }

  /** @internal */
  override waitToReceive(place: Place): void {
    super.waitToReceive(place);
    this.alarm.ref(true);
  }

  /** @internal */
  override leaves(place: Place): void {
    super.leaves(place);
    if (!this.awaited) this.alarm.ref(false);
  }
}

/** The end of a {@link Timeout} in virtual time. A run may end before it has come. */
class VirtualAlarm extends QueuedEvent {
  constructor(
    private readonly timeout: Timeout,
    private readonly scheduler: Scheduler,
    nanoseconds: number,
  ) {
    super();
    this.background = true;
    scheduler.loop.schedule(nanoseconds, this);
  }

  override run(): void {
    if (!this.timeout.closed) this.timeout.give(this.scheduler.loop.now);
  }

  cancel(): boolean {
    return this.scheduler.loop.cancel(this);
  }

  /** Tasks that wait for it keep the run going by themselves. */
  ref(): void {}
}

/** The same in real time. */
class RealAlarm {
  private timer: NodeJS.Timeout | undefined;

  constructor(timeout: Timeout, nanoseconds: number) {
    this.timer = pristine.setTimeout(() => {
      this.timer = undefined;
      if (!timeout.closed) timeout.give(Math.round(pristine.performanceNow() * MILLISECOND));
    }, milliseconds(nanoseconds));
    this.timer.unref();
  }

  cancel(): boolean {
    const pending = this.timer !== undefined;
    pristine.clearTimeout(this.timer);
    this.timer = undefined;
    return pending;
  }

  ref(on: boolean): void {
    if (on) this.timer?.ref();
    else this.timer?.unref();
  }
}

const NOTHING: Effects = { reads: [], writes: [], closed: true, ends: false };

/** What sleeping tasks wait at. */
class Clock extends Primitive {
  override attempt(waiter: Waiter): boolean {
    const nanoseconds = waiter.value as number;
    waiter.value = undefined;
    if (waiter.scheduler === undefined) {
      pristine.setTimeout(() => waiter.wake(), milliseconds(nanoseconds));
    } else {
      waiter.goOnAfter(nanoseconds);
    }
    return false;
  }

  /** Sleeping has nothing to do with what other tasks do. */
  override touch(): void {}

  override effectsIn(): Effects {
    return NOTHING;
  }
}

const clock = new Clock();

function milliseconds(nanoseconds: number): number {
  return Math.ceil(nanoseconds / MILLISECOND);
}

function checked(nanoseconds: number): number {
  if (Number.isInteger(nanoseconds) && nanoseconds >= 0) return nanoseconds;
  throw new RangeError(
    `A time is a whole number of nanoseconds, at least 0, not ${nanoseconds}. ` +
      'Write 5 * millisecond for 5 ms, and round fractions.',
  );
}
