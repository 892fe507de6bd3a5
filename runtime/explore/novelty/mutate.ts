/**
 * Changes a choice sequence a little: what is near to an order that was new is often new as well.
 *
 * A sequence is its deviations by key, so a change in one place leaves the others where they were.
 * After the mutation of recorded choices in Fray (Li and others, OOPSLA 2025).
 */

import { isOrder, Kind, type Decision, type Strategy } from '../../kernel/choice.js';
import { MILLISECOND } from '../../kernel/event-loop.js';
import { finish, fraction, mix } from '../../kernel/hash.js';
import type { Rung } from '../../kernel/rung.js';
import { values } from '../strategies/draws.js';
import { identity } from '../strategies/replay.js';

/** A choice of a run, and when it was asked for. */
export interface Asked {
  readonly id: number;
  readonly kind: Kind;
  readonly at: number;
}

/** A choice sequence: what deviated, and what else was asked for in its run. */
export interface Sequence {
  readonly rung: Rung;
  /** Of the values that were drawn. */
  readonly seed: number;
  /** Delays in nanoseconds, by the identity of the choice. */
  readonly delays: ReadonlyMap<number, number>;
  /** The choices that can take any delay. */
  readonly asked: readonly Asked[];
}

const MOST_CHANGES = 4;
const LONGEST = 64 * MILLISECOND;
const MAGNITUDES = 16;

/** The sequence of a run. */
export function sequenceOf(
  decisions: readonly (readonly [decision: Decision, at: number])[],
  rung: Rung,
  seed: number,
): Sequence {
  const delays = new Map<number, number>();
  const asked: Asked[] = [];
  for (const [{ kind, key, occurrence, value, rung: own }, at] of decisions) {
    if (own > rung || !isOrder(kind)) continue;
    const id = identity(key, occurrence);
    asked.push({ id, kind, at });
    if (value > 0) delays.set(id, value);
  }
  return { rung, seed, delays, asked };
}

/** A strategy that replays a sequence. */
export function sequenceStrategy({ delays, seed }: Pick<Sequence, 'delays' | 'seed'>): Strategy {
  return {
    ...values(seed),
    delay: ({ key, occurrence, limit }) =>
      Math.min(limit, delays.get(identity(key, occurrence)) ?? 0),
  };
}

/** A strategy that replays the first `count` choices of a sequence, and then does as another. */
export function followedBy(
  sequence: Pick<Sequence, 'delays' | 'seed'>,
  count: number,
  then: Strategy,
): Strategy {
  const first = sequenceStrategy(sequence);
  let asked = 0;
  const now = (): Strategy => (asked <= count ? first : then);
  return {
    bytesSeed: first.bytesSeed,
    delay: (choice) => (++asked <= count ? first : then).delay(choice),
    ...(then.pick && { pick: (ready, time, next) => then.pick!(ready, time, next) }),
    value: (key, occurrence) => now().value(key, occurrence),
    strikes: (...fault) => now().strikes(...fault),
    latency: (...operation) => now().latency(...operation),
  };
}

/**
 * Deviations that differ from those of a sequence in one to four places.
 * @param other another sequence, some of whose deviations may be taken over
 */
export function mutate(parent: Sequence, other: Sequence, hash: number): Map<number, number> {
  const delays = new Map(parent.delays);
  const changes = 1 + ((finish(mix(hash, 1)) >>> 0) % MOST_CHANGES);
  for (let i = 0; i < changes; i++) change(delays, parent, other, mix(hash, 100 + i));
  return delays;
}

function change(
  delays: Map<number, number>,
  { asked }: Sequence,
  other: Sequence,
  hash: number,
): void {
  const at = (size: number): number => Math.floor(fraction(mix(hash, 2)) * size);
  switch ((finish(mix(hash, 3)) >>> 0) % 4) {
    case 0:
      delays.delete([...delays.keys()][at(delays.size)]);
      return;
    case 1: {
      const taken = [...other.delays][at(other.delays.size)];
      if (taken !== undefined) delays.set(...taken);
      return;
    }
    default: {
      const index = at(asked.length);
      if (asked.length > 0) delays.set(asked[index].id, newDelay(asked, index, hash));
    }
  }
}

/** Until just after something that follows in the run, or of a drawn order of magnitude. */
function newDelay(asked: readonly Asked[], index: number, hash: number): number {
  const { at, kind } = asked[index];
  const part = fraction(mix(hash, 4));
  const later = asked[index + 1 + Math.floor(part * part * (asked.length - index - 1))];
  const gap = later !== undefined && (finish(mix(hash, 5)) & 1) === 0 ? later.at - at + 1 : 0;
  const delay = gap > 0 ? gap : LONGEST * 2 ** (-MAGNITUDES * fraction(mix(hash, 6)));
  const unit = kind === Kind.Timer ? MILLISECOND : 1;
  return Math.max(1, Math.ceil(Math.min(delay, LONGEST) / unit)) * unit;
}
