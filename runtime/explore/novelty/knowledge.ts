/**
 * What the novelty searches of several processes know together of one scope.
 *
 * They search in rounds. All searches of a round begin with what the earlier rounds have found, and
 * know nothing of each other; what they find is put together when all have ended, in their order.
 * So what is tried depends on how a round is divided, and not on who runs which part or when.
 */

import type { Sequence } from './mutate.js';
import { Saturation } from './saturation.js';

/** So many parts a round has: so many processes can take part. */
export const PARTS = 8;

/** How many sequences are kept. */
export const KEPT = 100;

/** How many ways are kept. */
export const WAYS = 1000;

/** A way replaces another when it is shorter by so much. */
export const SHORTER = 0.9;

/** The start of a sequence that led to an event. */
export interface KnownWay {
  sequence: Pick<Sequence, 'rung' | 'seed' | 'delays'>;
  /** How many choices there were before it. */
  asked: number;
  /** In how many trials the event was seen. */
  seen: number;
  /** How often the way was taken. */
  used: number;
}

/** What one search adds to a way: the sequence where it is a new one, or shorter. */
export type AddedWay = Omit<KnownWay, 'sequence'> & Partial<Pick<KnownWay, 'sequence'>>;

/** What a search begins with. */
export interface Given {
  readonly shapes: readonly number[];
  readonly kept: readonly Sequence[];
  readonly ways: ReadonlyMap<number, Readonly<KnownWay>>;
}

/** What a search has found, beside what it was given. */
export interface Found {
  /** The shape and the outcome of each trial, in order. */
  readonly trials: readonly (readonly [shape: number, outcome: string])[];
  readonly kept: readonly Sequence[];
  /** By event. */
  readonly ways: ReadonlyMap<number, AddedWay>;
}

export class Knowledge {
  readonly saturation = new Saturation();
  private readonly shapes = new Set<number>();
  private readonly kept: Sequence[] = [];
  private readonly ways = new Map<number, KnownWay>();

  get given(): Given {
    return { shapes: [...this.shapes], kept: this.kept, ways: this.ways };
  }

  add({ trials, kept, ways }: Found): void {
    for (const [shape, outcome] of trials) {
      this.shapes.add(shape);
      this.saturation.add(shape, outcome);
    }
    this.kept.push(...kept.slice(0, KEPT - this.kept.length));
    for (const [event, way] of ways) this.addWay(event, way);
  }

  private addWay(event: number, { sequence, asked, seen, used }: AddedWay): void {
    const known = this.ways.get(event);
    if (known === undefined) {
      if (sequence !== undefined && this.ways.size < WAYS) {
        this.ways.set(event, { sequence, asked, seen, used });
      }
      return;
    }
    known.seen += seen;
    known.used += used;
    if (sequence === undefined || asked >= SHORTER * known.asked) return;
    known.sequence = sequence;
    known.asked = asked;
  }
}
