/**
 * Bounded-exhaustive: every order in which the held points can go on, one after the other.
 *
 * Stateless search (Godefroid, POPL 1997): a run is determined by which of the alternatives was
 * taken at each step. The next run takes the same ones up to the last step that has an alternative
 * left, and that alternative there. Letting time pass is one of the alternatives, as far as the
 * other strategies that hold may let it pass. Values are those of plain Node.
 *
 * Sleep sets (Godefroid, LNCS 1032, 1996) leave out orders that differ from one that was run only
 * in the order of steps which have nothing to do with each other. What a step has to do with is
 * what was seen of it when it ran: the effects of all segments in it. Where not everything is known
 * of one of them, nothing is left out.
 */

import { HOLD, isOrder, Kind, noDeviation, type Held, type Strategy } from '../../kernel/choice.js';
import { Footprint } from '../../kernel/effects.js';
import type { ScopeProfile } from '../profile.js';
import { longestDelay } from './draws.js';
import { identity } from './replay.js';

/** Points that need not be picked as long as nothing happens that has to do with them. */
type SleepSet = ReadonlyMap<number, Footprint>;

/** A step of the run: which of its alternatives have been taken, the last one now. */
interface Step {
  readonly sleeping: SleepSet;
  /** What the alternatives did that are done with, by the point. */
  readonly done: Map<number, Footprint>;
  /** The point that is taken now; undefined for the clock. */
  taken: number | undefined;
  /** What it does. */
  footprint: Footprint;
  /** Whether letting time pass has been taken. */
  clockTaken: boolean;
  /** Whether there is an alternative that has not been taken. */
  more: boolean;
}

/** All schedules of one scope. */
export class Enumeration {
  /** How many schedules have been run. */
  explored = 0;
  /** Whether these are all there are, but for those that differ in nothing. */
  complete = false;
  private readonly path: Step[] = [];
  private depth = 0;
  /** All that is left in this run has been run in another order. */
  private redundant = false;

  constructor(private readonly profile: ScopeProfile) {}

  /** The strategy of the next run. */
  begin(): Strategy {
    this.depth = 0;
    this.redundant = false;
    let timeLeft = longestDelay(this.profile);
    return {
      ...noDeviation,
      delay: ({ kind, limit }) =>
        limit === Infinity && kind !== Kind.Operation && isOrder(kind) ? HOLD : 0,
      pick: (ready, now, next) => {
        const clock = next - now <= timeLeft;
        const taken = this.redundant ? ready[0] : this.take(ready, clock);
        if (taken === undefined) timeLeft -= next - now;
        return taken;
      },
      stepped: (task, _site, effects) => {
        if (this.depth === 0 || this.redundant) return;
        this.path[this.depth - 1].footprint.add(task.hash, effects);
      },
    };
  }

  /** The run has ended; the next one takes another way. */
  end(): void {
    if (!this.redundant) this.explored++;
    while (this.path.length > 0) {
      const last = this.path[this.path.length - 1];
      if (last.more) {
        if (last.taken !== undefined) last.done.set(last.taken, last.footprint);
        last.taken = undefined;
        return;
      }
      this.path.pop();
    }
    this.complete = true;
  }

  /** Goes one step further: as in the last run, or to the next alternative. */
  private take(ready: readonly Held[], clock: boolean): Held | undefined {
    const index = this.depth++;
    const isLast = index >= this.path.length - 1;
    if (index === this.path.length) this.path.push(this.newStep(index));
    const step = this.path[index];
    if (!isLast) {
      step.footprint = new Footprint();
      return step.taken === undefined ? undefined : ready.find((one) => idOf(one) === step.taken);
    }
    const awake = ready.filter((one) => !step.sleeping.has(idOf(one)) && !step.done.has(idOf(one)));
    step.footprint = new Footprint();
    if (awake.length === 0 && (!clock || step.clockTaken)) {
      this.redundant = true;
      step.more = false;
      return ready[0];
    }
    const [picked] = awake;
    step.taken = picked === undefined ? undefined : idOf(picked);
    if (picked === undefined) {
      step.clockTaken = true;
      step.footprint.closed = false;
    }
    step.more = awake.length > 1 || (awake.length === 1 && clock && !step.clockTaken);
    return picked;
  }

  /** What need not be picked before, and has nothing to do with the step before, still need not. */
  private newStep(index: number): Step {
    const sleeping = new Map<number, Footprint>();
    const before = this.path[index - 1];
    for (const known of before === undefined ? [] : [before.sleeping, before.done]) {
      for (const [point, footprint] of known) {
        if (footprint.isIndependentOf(before.footprint)) sleeping.set(point, footprint);
      }
    }
    const footprint = new Footprint();
    const done = new Map<number, Footprint>();
    return { sleeping, done, taken: undefined, footprint, clockTaken: false, more: false };
  }
}

function idOf({ key, occurrence }: Held): number {
  return identity(key, occurrence);
}
