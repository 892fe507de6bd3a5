/**
 * A choice is something the simulation decides. Its key is (task path, site, occurrence); what it
 * picks is 0 for the default, or a *deviation*.
 */

import type { Effects } from './effects.js';
import { NATIVE, type Rung } from './rung.js';

/** The kinds of choices. The numbers are part of every key: never renumber them. */
export const Kind = {
  /** How long an await or a promise reaction takes beyond its operand, in nanoseconds. */
  Await: 1,
  /** How much later than asked a stand-in's timer fires, in nanoseconds. */
  Timer: 2,
  /** How late the event loop is when a timer is the next thing due, in nanoseconds. */
  Stall: 3,
  /** How long the synchronous code before the creation of a timer took, in nanoseconds. */
  Create: 4,
  /** A random number in [0, 1) that the program draws. */
  Random: 5,
  /** The seed from which the bytes of cryptographic calls are drawn. */
  Bytes: 6,
  /** How long an operation of a task primitive takes, or a task that was blocked in one to go on. */
  Operation: 7,
  /** Which of the cases that are ready a `select` takes: an index, 0 for the first. */
  Select: 8,
  /** How much longer than the least a message or a sync takes, in nanoseconds. */
  Latency: 9,
  /** A message is lost. */
  Drop: 10,
  /** A message arrives twice. */
  Duplicate: 11,
  /** A message does not keep the order of its link. */
  Reorder: 12,
  /** A crash loses a sector that was not synced. */
  Lose: 13,
  /** A crash leaves only the beginning of a sector that was being written. */
  Torn: 14,
  /** A byte of a write reaches the medium changed. */
  Corrupt: 15,
  /** A sync does nothing and says nothing. */
  SkipSync: 16,
  /** A write lands in another sector. */
  Misdirect: 17,
  /** A read fails. */
  ReadError: 18,
  /** A write reaches the medium after the one that followed it. */
  Overtake: 19,
  /** Where in its range a fault strikes: a fraction in [0, 1). */
  Place: 20,
  /** How much longer than the least an operation of simulated I/O takes, in nanoseconds. */
  Io: 21,
  /** How many bytes of a stream arrive at once: a fraction in [0, 1). */
  Chunk: 22,
  /** A write finds the disk full. */
  NoSpace: 23,
  /** An operation on a file fails with EIO. */
  IoError: 24,
  /** A read or write moves fewer bytes than asked for. */
  Short: 25,
  /** A connection is reset. */
  Reset: 26,
  /** A connection is refused, or not answered. */
  Refuse: 27,
  /** A name cannot be looked up. */
  NameFailure: 28,
  /** The peer of a connection goes without a word. */
  HalfOpen: 29,
  /** What the program's own `buggify` asks for. */
  Buggify: 30,
  /** A host crashes. */
  Crash: 31,
  /** A failpoint of the program's own does what it is configured to do. */
  Failpoint: 32,
  /** The disk of a host moves bytes faster than most. */
  Quick: 33,
} as const;

export type Kind = (typeof Kind)[keyof typeof Kind];

/** Whether it is about the order of steps: what may take any time, or be any of several. */
export function isOrder(kind: Kind): boolean {
  return (
    kind === Kind.Await ||
    kind === Kind.Timer ||
    kind === Kind.Operation ||
    kind === Kind.Select ||
    kind === Kind.Io
  );
}

/** Whether it draws a value, which has a default that is not 0. */
export function isDrawn(kind: Kind): boolean {
  return kind === Kind.Random || kind === Kind.Place;
}

/** Whether a decision differs from what plain Node does. */
export function deviates({
  kind,
  rung,
  value,
}: Pick<Decision, 'kind' | 'rung' | 'value'>): boolean {
  return isDrawn(kind) ? rung !== NATIVE : value !== 0;
}

/** A test or hook: a part of a run with choices of its own, whatever else runs. */
export interface Scope {
  readonly title: string;
  /** The highest rung that may deviate. */
  readonly rung: Rung;
  readonly strategy: Strategy;
  /** When it began, in virtual nanoseconds; the start of the run when left out. */
  readonly beganAt?: number;
}

/** The logical thread a choice belongs to: its spawn path, and a hash of scope and path. */
export interface Subject {
  readonly hash: number;
  readonly scope: Scope;
  /** What the partial order of steps keeps of it: its last step, and of which period that is. */
  step: number;
  stepPeriod: number;
  path(): string;
}

/** The place in the source a choice belongs to. */
export interface Site {
  /** Hash of file, line and column: stable from one compile of a source to the next. */
  readonly hash: number;
  /** `file:line:column` with a root-relative posix path. */
  position(): string;
  /** What the segment does that begins here; undefined when nothing is known of it. */
  readonly effects?: Effects | undefined;
}

/** A choice and what it picked. A deviation is a decision that is not the default. */
export interface Decision {
  readonly kind: Kind;
  /** The rung that allows it to deviate; a value drawn by default has rung `native`. */
  readonly rung: Rung;
  /** Hash of task path, site and kind; with `occurrence` it is the identity of the choice. */
  readonly key: number;
  /** Counts from 1 among the choices with the same key. */
  readonly occurrence: number;
  /**
   * A delay in nanoseconds (0 is the default), or the value drawn. That of a point that is held is
   * {@link HOLD} until it is let go.
   */
  readonly value: number;
  readonly task: Subject;
  readonly site: Site;
}

/**
 * The question that a strategy answers: how long does this take beyond its default? One object is
 * used for every question of a run, so a strategy copies what it keeps.
 */
export interface Choice {
  /** What is delayed. */
  readonly kind: Kind;
  readonly rung: Rung;
  /** See {@link Decision.key} and {@link Decision.occurrence}. */
  readonly key: number;
  readonly occurrence: number;
  readonly task: Subject;
  readonly site: Site;
  /** The longest delay that is legal here, in nanoseconds. */
  readonly limit: number;
  /** When it is due without delay, as far as that is known: a virtual time in nanoseconds. */
  readonly due: number;
}

/** The answer "not yet": the point is held until {@link Strategy.pick} lets it go. */
export const HOLD = -1;

/** A point that is held: what was waited for has come, and the strategy has not let it go. */
export interface Held extends Pick<Decision, 'kind' | 'key' | 'occurrence' | 'task' | 'site'> {
  /** When what was waited for came, in virtual nanoseconds. */
  readonly since: number;
}

/** A distribution of latencies, by its quantiles: see {@link Strategy.latency}. */
export type Spread = (fraction: number) => number;

/** What proposes deviations. A strategy sees only choices that its rung allows. */
export interface Strategy {
  /**
   * Decides one choice of a delay.
   * @returns the delay in nanoseconds; 0 is the default. {@link HOLD}, where nothing limits the
   *   delay, leaves the decision to `pick`: the delay is then the time until it was let go.
   *   For kind `Select` limit and answer are indices.
   */
  delay(choice: Choice): number;
  /**
   * Asked when nothing is due now and something is held.
   * @param ready what is held, in the order in which it became ready
   * @param now virtual nanoseconds
   * @param next when something else is due, in virtual nanoseconds; Infinity when nothing is
   * @returns what goes next; undefined lets time pass until `next`, if that is finite
   */
  pick?(ready: readonly Held[], now: number, next: number): Held | undefined;
  /**
   * Told of each step as it begins.
   * @param site at which it begins
   * @param effects what it does; undefined when not everything is known of it
   */
  stepped?(task: Subject, site: Site, effects: Effects | undefined): void;
  /** Draws a value in [0, 1) for a choice of kind `Random`; `undefined` is the default draw. */
  value(key: number, occurrence: number): number | undefined;
  /**
   * Decides whether a fault strikes; `false` is the default.
   * @param rate how often it does, above 0 and at most 1
   */
  strikes(kind: Kind, key: number, occurrence: number, rate: number): boolean;
  /**
   * Decides how much longer than the least something takes, in nanoseconds; 0 is the default.
   * @param spread gives the latency at a fraction in [0, 1) of all cases, the quickest first
   */
  latency(kind: Kind, key: number, occurrence: number, spread: Spread): number;
  /** The seed for cryptographic bytes; 0 is the default. */
  readonly bytesSeed: number;
}

/** The empty schedule: every choice takes its default. This is plain Node. */
export const noDeviation: Strategy = {
  delay: () => 0,
  value: () => undefined,
  strikes: () => false,
  latency: () => 0,
  bytesSeed: 0,
};
