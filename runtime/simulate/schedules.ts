/**
 * A schedule as a value that a property-based test draws and shrinks.
 *
 * It begins as a seed. The run under it notes which choices deviated, and from then on the schedule
 * is the list of these: leaving some out gives a smaller schedule of the same kind, since a
 * choice's key does not depend on the others, nor much on the inputs.
 */

import { deviates, Kind, noDeviation, type Decision } from '../kernel/choice.js';
import type { Recorder } from '../kernel/choices.js';
import { NATIVE, type Rung } from '../kernel/rung.js';
import type { Origin } from '../explore/origin.js';
import { rungOf, seedPlan, type ScopePlan } from '../explore/plan.js';
import type { Profile } from '../explore/profile.js';
import {
  formatSchedule,
  nameDeviation,
  type NamedDeviation,
  type Schedule as NamedSchedule,
} from '../explore/schedule.js';
import { schedulePlan } from '../explore/strategies/replay.js';

interface Ranked extends NamedDeviation {
  readonly rung: Rung;
}

/** See `schedules` of `detsim/fast-check`. */
export class Schedule {
  private decisions: Decision[] = [];
  private scope = '';
  private deviations: readonly Ranked[] | undefined;
  private bytes: readonly Ranked[] = [];

  /** @internal @param from a seed, or the deviations that are left */
  constructor(private readonly from: number | readonly Ranked[]) {
    if (typeof from !== 'number') this.deviations = from;
  }

  /** @internal Whether its plan needs to know the run of the empty schedule. */
  get seeded(): boolean {
    return typeof this.from === 'number' && rungOf(this.from) !== NATIVE;
  }

  /** @internal What runs it, and what is to be told of every choice. */
  begin(profile: Profile, title: string): { plan: ScopePlan; recorder: Recorder } {
    this.decisions = [];
    this.scope = title;
    const { from } = this;
    const plan = typeof from === 'number' ? seedPlan(from, profile) : schedulePlan(named(from));
    const { strategy } = plan(title);
    const bytes = {
      kind: Kind.Bytes,
      scope: '',
      site: '',
      task: '',
      occurrence: 1,
      rung: 1,
    } as const;
    const drawn = strategy !== noDeviation && strategy.bytesSeed !== 0;
    this.bytes = drawn ? [{ ...bytes, value: strategy.bytesSeed }] : [];
    return { plan, recorder: { choice: (decision) => void this.decisions.push(decision) } };
  }

  /** @internal The run is over. */
  ended(failed: boolean): void {
    if (!failed) return;
    const deviations = this.decisions
      .filter(deviates)
      .map((d): Ranked => ({ ...nameDeviation(d, this.scope), rung: d.rung }));
    this.deviations = [...deviations, ...this.bytes];
  }

  /** The highest rung among the deviations of a run that has failed. */
  get rung(): Rung {
    return highest(this.deviations ?? []);
  }

  /** @internal What runs it again. */
  get origin(): Origin {
    const { deviations } = this;
    if (deviations === undefined) return { seed: this.from as number };
    return deviations.length === 0 ? { seed: 0 } : { schedule: this.toString() };
  }

  /** @internal Smaller ones: none first, then halves, then all without one. */
  *shrink(): IterableIterator<Schedule> {
    const { deviations } = this;
    if (deviations === undefined || deviations.length === 0) return;
    yield new Schedule([]);
    const half = Math.ceil(deviations.length / 2);
    if (half < deviations.length) {
      yield new Schedule(deviations.slice(0, half));
      yield new Schedule(deviations.slice(half));
    }
    if (deviations.length < 3) return;
    for (const one of deviations) yield new Schedule(deviations.filter((d) => d !== one));
  }

  /** The text of the schedule, as a sweep prints it; before it has run, its seed. */
  toString(): string {
    const { deviations } = this;
    return deviations === undefined ? String(this.from) : formatSchedule(named(deviations));
  }

  /** What fast-check prints in a counterexample. */
  [Symbol.for('fast-check/toStringMethod')](): string {
    return `schedule(${JSON.stringify(this.toString())})`;
  }
}

function named(deviations: readonly Ranked[]): NamedSchedule {
  return { rung: highest(deviations), deviations: deviations.map(({ rung: _, ...d }) => d) };
}

function highest(deviations: readonly Ranked[]): Rung {
  return deviations.reduce<Rung>((most, { rung }) => (rung > most ? rung : most), NATIVE);
}
