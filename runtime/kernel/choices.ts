/**
 * What the simulation decides: every choice of a run goes through here, is counted under its key,
 * asked of the strategy of its scope, and told to the recorder.
 */

import {
  HOLD,
  Kind,
  type Choice,
  type Decision,
  type Site,
  type Spread,
  type Subject,
} from './choice.js';
import { Counters } from './counters.js';
import type { Effects } from './effects.js';
import { finish, fraction, mix } from './hash.js';
import { HeldPoints, type Release } from './held-points.js';
import { PartialOrder } from './partial-order.js';
import { NATIVE, NODE, type Rung } from './rung.js';
import type { Source } from './source.js';

/** Told of every choice, while a trace is recorded. `value` is 0 for the default of a delay. */
export interface Recorder {
  /** @param at virtual nanoseconds */
  choice(decision: Decision, at: number): void;
}

export class Choices {
  /** Virtual nanoseconds since the start. */
  now = 0;
  /** Delay that deviations have added so far, in nanoseconds. */
  injected = 0;
  /** How many choices there were. */
  choices = 0;
  /** A running fingerprint of everything that happened; equal traces have equal digests. */
  digest = 0;
  /** A running fingerprint of the order of the steps: it leaves out when they happened. */
  readonly order = new PartialOrder();
  recorder: Recorder | undefined;
  /** Whether the world has healed: no fault strikes any more. */
  healed = false;
  /** Whether anybody wants to know {@link Choices.order}: it costs. */
  takesOrder = true;
  /** Whether there is a strategy that is told of steps; looking at each for it would cost. */
  tellsSteps = false;

  protected readonly held = new HeldPoints();
  private readonly counters = new Counters();
  /** The question to a strategy, used again for each. */
  private readonly question: Mutable<Choice> = {
    kind: Kind.Await,
    rung: NATIVE,
    key: 0,
    occurrence: 0,
    task: undefined as unknown as Subject,
    site: undefined as unknown as Site,
    limit: 0,
    due: 0,
  };

  /**
   * Decides how long something takes beyond its default, in nanoseconds.
   * @param limit the longest delay that is legal here
   * @param due when it is due without delay, as far as that is known
   * @returns a negative number when the strategy wants to hold it: call {@link Choices.hold} with
   *   that number when the time has come; never where the delay has a limit
   */
  choose(kind: Kind, rung: Rung, task: Subject, site: Site, limit: number, due = this.now): number {
    const key = mix(mix(task.hash, site.hash), kind) >>> 1;
    const occurrence = this.counters.next(key);
    this.choices++;
    const { scope } = task;
    let value = 0;
    if (rung <= scope.rung) {
      const { question } = this;
      question.kind = kind;
      question.rung = rung;
      question.key = key;
      question.occurrence = occurrence;
      question.task = task;
      question.site = site;
      question.limit = limit;
      question.due = due;
      value = scope.strategy.delay(question);
    }
    this.digest = mix(this.digest, key ^ occurrence ^ (value | 0));
    if (value === HOLD && limit !== Infinity) value = 0;
    if (value !== HOLD && kind !== Kind.Select) this.injected += value;
    if (value !== HOLD && this.recorder === undefined) return value;
    const decision = { kind, rung, key, occurrence, value, task, site };
    this.recorder?.choice(decision, this.now);
    return value === HOLD ? this.held.add(decision) : value;
  }

  /**
   * The time has come for something that a strategy wants to hold.
   * @param number what {@link Choices.choose} returned
   * @param since when it has come, in virtual nanoseconds
   */
  hold(number: number, release: Release, since = this.now): void {
    this.held.hold(number, since, release);
  }

  /** What is held will never go on. */
  dropHeld(release: Release): void {
    this.held.drop(release);
  }

  /** The run is over: what is held was late until the end, and what never came was not late. */
  endHeld(): void {
    this.held.end(this.now);
  }

  /**
   * A step of a task begins.
   * @param effects what it does, as far as that is known
   */
  ordered(task: Subject, site: Site, effects: Effects | undefined): void {
    const closed = effects !== undefined && effects.closed ? effects : undefined;
    if (this.takesOrder) {
      const label = task.hash ^ site.hash;
      if (closed === undefined) this.order.addOpen(label);
      else this.order.addClosed(task, label, closed);
    }
    if (this.tellsSteps) task.scope.strategy.stepped?.(task, site, closed);
  }

  /** Draws a random number in [0, 1) for the program. */
  random(task: Subject, site: Site): number {
    const key = mix(mix(task.hash, site.hash), Kind.Random) >>> 1;
    const occurrence = this.counters.next(key);
    this.choices++;
    const { scope } = task;
    const drawn = scope.rung >= NODE ? scope.strategy.value(key, occurrence) : undefined;
    const value = drawn ?? defaultValue(key, occurrence);
    this.digest = mix(this.digest, finish(key ^ occurrence) ^ ((value * 4294967296) | 0));
    this.recorder?.choice(
      {
        kind: Kind.Random,
        rung: drawn === undefined ? NATIVE : NODE,
        key,
        occurrence,
        value,
        task,
        site,
      },
      this.now,
    );
    return value;
  }

  /** A 32-bit word for the program's cryptographic bytes. */
  randomWord(task: Subject, site: Site): number {
    const key = mix(mix(task.hash, site.hash), Kind.Bytes) >>> 1;
    const seed = task.scope.rung >= NODE ? task.scope.strategy.bytesSeed : 0;
    return finish(mix(mix(key, this.counters.next(key)), seed));
  }

  /**
   * Decides whether a fault of `source` strikes.
   * @param occurrence counts what it could strike (messages, writes), whatever the rate was then
   * @param rate 0 to 1; at 0 there is nothing to decide
   */
  strikes(kind: Kind, source: Source, occurrence: number, rate: number): boolean {
    if (rate <= 0 || this.healed) return false;
    const { scope } = source.task;
    const key = mix(source.base, kind) >>> 1;
    const struck = scope.rung >= NODE && scope.strategy.strikes(kind, key, occurrence, rate);
    this.decided(kind, NODE, key, occurrence, struck ? 1 : 0, source);
    return struck;
  }

  /** Decides how much longer than the least something of `source` takes, in nanoseconds. */
  latency(kind: Kind, source: Source, occurrence: number, spread: Spread): number {
    const { scope } = source.task;
    const key = mix(source.base, kind) >>> 1;
    const value = scope.rung >= NODE ? scope.strategy.latency(kind, key, occurrence, spread) : 0;
    this.decided(kind, NODE, key, occurrence, value, source);
    return value;
  }

  /** Draws a number in [0, 1) for `source`. */
  draw(kind: Kind, source: Source, occurrence: number): number {
    const key = mix(source.base, kind) >>> 1;
    const { scope } = source.task;
    const drawn = scope.rung >= NODE ? scope.strategy.value(key, occurrence) : undefined;
    const value = drawn ?? defaultValue(key, occurrence);
    this.decided(kind, drawn === undefined ? NATIVE : NODE, key, occurrence, value, source);
    return value;
  }

  private decided(
    kind: Kind,
    rung: Rung,
    key: number,
    occurrence: number,
    value: number,
    source: Source,
  ): void {
    this.choices++;
    this.digest = mix(this.digest, key ^ occurrence ^ ((value * 65536) | 0));
    const { recorder } = this;
    if (recorder === undefined) return;
    const { task } = source;
    recorder.choice({ kind, rung, key, occurrence, value, task, site: source }, this.now);
  }

  /** The occurrence number of something that is named, not chosen: the n-th task of one name. */
  ordinal(key: number): number {
    return this.counters.next(key);
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The draw of seed 0, which is the default of every value. */
function defaultValue(key: number, occurrence: number): number {
  return fraction(mix(mix(0, key), occurrence));
}
