/**
 * What a segment does (the code between two yield points, which nothing interrupts), as far as it
 * is known, and when two segments have nothing to do with each other.
 */

/** Names are given as hashes. */
export interface Effects {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** Whether these are all. */
  readonly closed: boolean;
  /** Whether the function may end here: then whoever waits for it goes on. */
  readonly ends: boolean;
}

/** What a number of segments did together. */
export class Footprint {
  readonly reads = new Set<number>();
  readonly writes = new Set<number>();
  /** The tasks that did it, by their hashes. */
  readonly tasks = new Set<number>();
  closed = true;

  add(task: number, effects: Effects | undefined): void {
    this.tasks.add(task);
    if (effects === undefined || !effects.closed) {
      this.closed = false;
      return;
    }
    for (const name of effects.reads) this.reads.add(name);
    for (const name of effects.writes) this.writes.add(name);
  }

  /** Whether the two can change places without a difference. */
  isIndependentOf(other: Footprint): boolean {
    return (
      this.closed &&
      other.closed &&
      disjoint(this.tasks, other.tasks) &&
      disjoint(this.writes, other.writes) &&
      disjoint(this.writes, other.reads) &&
      disjoint(this.reads, other.writes)
    );
  }
}

function disjoint(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  for (const one of a) if (b.has(one)) return false;
  return true;
}
