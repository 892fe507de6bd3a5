/**
 * What the strategies that draw delays share: how long a delay is, and which values a trial draws.
 */

import { Kind, type Choice, type Strategy } from '../../kernel/choice.js';
import { MILLISECOND } from '../../kernel/event-loop.js';
import { finish, fraction, mix } from '../../kernel/hash.js';
import type { ScopeProfile } from '../profile.js';

/**
 * The longest delay of one step: 64 ms, or a third of the test where that is longer. Longer ones
 * would mostly find that tests which wait by sleeping do not wait for ever.
 */
const LONGEST = 64 * MILLISECOND;
const SHARE_OF_TEST = 1 / 3;

/** Delays that are drawn by their order of magnitude have this many binary ones. */
const MAGNITUDES = 9;

export function pick<T>(from: readonly T[], hash: number): T {
  return from[(finish(hash) >>> 0) % from.length];
}

/** The longest delay of a test, in nanoseconds. */
export function longestDelay({ duration }: ScopeProfile): number {
  return Math.max(LONGEST, duration * SHARE_OF_TEST);
}

/** How long a choice deviates, in nanoseconds; the hash is that of seed and choice. */
export type DrawDelay = (choice: Choice, hash: number) => number;

/**
 * Draws delays, never above the limit of the choice. A quarter of the trials draws them uniformly,
 * a quarter by their order of magnitude, and half so that they end just after something else that
 * the test does when nothing deviates: what a late step has to overtake is most often the next few
 * events.
 */
export function delays(seed: number, profile: ScopeProfile): DrawDelay {
  const longest = longestDelay(profile);
  const mode = finish(mix(seed, 2)) & 3;
  const draw = mode === 0 ? uniform(longest) : mode === 1 ? byMagnitude(longest) : undefined;
  return (choice, hash) => {
    const part = fraction(mix(hash, 3));
    if (choice.kind === Kind.Select) return 1 + Math.floor(part * choice.limit);
    const drawn =
      draw?.(part) ?? toNextEvents(choice, profile, longest, part) ?? byMagnitude(longest)(part);
    // Timers go by whole milliseconds.
    if (choice.kind === Kind.Timer) return Math.ceil(drawn / MILLISECOND) * MILLISECOND;
    return Math.max(1, Math.min(choice.limit, drawn));
  };
}

type Distribution = (part: number) => number;

function uniform(longest: number): Distribution {
  return (part) => twoDigits(longest * part);
}

function byMagnitude(longest: number): Distribution {
  return (part) => twoDigits(longest * 2 ** (-MAGNITUDES * part));
}

/**
 * The time from when the choice is due until just after one of the events that follow in the run
 * without deviations, the next ones first; undefined when none does within the longest delay.
 */
function toNextEvents(
  { due, task }: Choice,
  { times }: ScopeProfile,
  longest: number,
  part: number,
): number | undefined {
  const from = due - (task.scope.beganAt ?? 0);
  const first = firstAfter(times, from);
  const end = firstAfter(times, from + longest);
  if (first === end) return undefined;
  const at = times[first + Math.floor((end - first) * part * part)];
  return at - from + 1;
}

/** Index of the first time after `time`, in a sorted list. */
function firstAfter(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Rounds down to two significant digits: what people read. */
function twoDigits(delay: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(delay)) - 1);
  return Math.floor(delay / digit) * digit;
}

/**
 * Values vary with the seed in three trials of four, so that some vary nothing but the order. What
 * the simulated world does goes by the rates and ranges it was given.
 */
export function values(seed: number): Omit<Strategy, 'delay' | 'pick'> {
  const vary = (finish(mix(seed, 0x7a1)) & 3) !== 0;
  return {
    value: vary ? (key, occurrence) => fraction(mix(mix(seed, key), occurrence)) : () => undefined,
    strikes: (_kind, key, occurrence, rate) => fraction(mix(mix(seed, key), occurrence)) < rate,
    latency: (_kind, key, occurrence, spread) => spread(fraction(mix(mix(seed, key), occurrence))),
    bytesSeed: vary ? finish(mix(seed, 0xb17e5)) >>> 1 : 0,
  };
}
