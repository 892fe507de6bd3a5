/**
 * The novelty search of one file where several processes share it: rounds of batches, each of which
 * begins with what the rounds before have found (see {@link Knowledge}).
 *
 * How a round is divided does not depend on how many processes there are.
 */

import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  Knowledge,
  PARTS,
  type Found,
  type Given,
} from '../../runtime/explore/novelty/knowledge.js';
import type { Coverage } from './protocol.js';

/** Trials of a batch in the first round; later ones grow, so that less time goes by in between. */
const LEAST = 25;
const GROWTH = 1 / 32;

/** By the title of the test or hook; nothing for one whose search has ended. */
export type KnownOfFile = ReadonlyMap<string, Given | undefined>;
export type FoundInFile = ReadonlyMap<string, Found>;

export class NoveltyRounds {
  private readonly knowledge = new Map<string, Knowledge>();
  private round = 0;
  private size = LEAST;
  /** Of the batches of this round. */
  private found: (FoundInFile | undefined)[] = [];
  /** What the searches of this round begin with. */
  known: Buffer = pack(new Map());

  /** Whether a batch can be given out. */
  get open(): boolean {
    return this.found.length < PARTS;
  }

  /** Gives out a batch. @returns its number, and how many trials it has at most */
  take(): { batch: number; size: number } {
    this.found.push(undefined);
    return { batch: this.round * PARTS + this.found.length - 1, size: this.size };
  }

  /** @param lastTrial the last that was given out, when no more are to come */
  add(batch: number, found: Buffer, lastTrial: number, more: boolean): void {
    this.found[batch % PARTS] = unpack<FoundInFile>(found);
    if (this.found.includes(undefined) || (this.open && more)) return;
    for (const one of this.found) {
      for (const [title, own] of one!) this.of(title).add(own);
    }
    this.found = [];
    this.round++;
    this.size = Math.max(LEAST, Math.floor(lastTrial * GROWTH));
    const known = [...this.knowledge].map(
      ([title, own]) => [title, own.saturation.dry ? undefined : own.given] as const,
    );
    this.known = pack(new Map(known));
  }

  /** Whether there is hardly anything new to come in any of the tests. */
  get ended(): boolean {
    return this.round > 0 && [...this.knowledge.values()].every(({ saturation }) => saturation.dry);
  }

  coverage(): Coverage[] {
    return [...this.knowledge].map(([title, { saturation }]) => {
      const { trials, shapes, distinctOutcomes: outcomes, newLately, lately, seen } = saturation;
      const why = saturation.dry ? 'dry' : 'trials';
      return { title, ended: why, trials, shapes, outcomes, newLately, lately, seen };
    });
  }

  private of(title: string): Knowledge {
    let own = this.knowledge.get(title);
    if (own === undefined) this.knowledge.set(title, (own = new Knowledge()));
    return own;
  }
}

export function pack(value: KnownOfFile | FoundInFile): Buffer {
  return deflateRawSync(serialize(value), { level: 1 });
}

export function unpack<T>(packed: Uint8Array): T {
  return deserialize(inflateRawSync(packed)) as T;
}
