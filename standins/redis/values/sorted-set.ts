/**
 * A sorted set: scores by member, and the members in an array ordered by score, then by bytes.
 *
 * Positions are found by binary search. Redis has a skip list, whose inserts do not move others;
 * at the sizes of tests moving a block of memory is quicker than following links.
 */

export interface Scored {
  readonly member: string;
  readonly score: number;
}

export const before = (a: Scored, b: Scored): boolean =>
  a.score !== b.score ? a.score < b.score : a.member < b.member;

export class SortedSet {
  readonly scores = new Map<string, number>();
  readonly order: Scored[] = [];

  get size(): number {
    return this.order.length;
  }

  static of(items: Iterable<Scored>): SortedSet {
    const set = new SortedSet();
    for (const { member, score } of items) set.scores.set(member, score);
    for (const [member, score] of set.scores) set.order.push({ member, score });
    set.order.sort((a, b) => (before(a, b) ? -1 : 1));
    return set;
  }

  /** Adds a member, or moves it to another score. */
  set(member: string, score: number): void {
    const old = this.scores.get(member);
    if (old === score) return;
    if (old !== undefined) this.order.splice(this.rank(member), 1);
    const item = { member, score };
    this.order.splice(
      this.first((other) => !before(other, item)),
      0,
      item,
    );
    this.scores.set(member, score);
  }

  delete(member: string): boolean {
    if (!this.scores.has(member)) return false;
    this.order.splice(this.rank(member), 1);
    this.scores.delete(member);
    return true;
  }

  /** Removes what stands at positions start to end (excluded), and returns it. */
  removeRange(start: number, end: number): Scored[] {
    const removed = this.order.splice(start, Math.max(0, end - start));
    for (const { member } of removed) this.scores.delete(member);
    return removed;
  }

  /** The position of a member that is in the set. */
  rank(member: string): number {
    const item = { member, score: this.scores.get(member)! };
    return this.first((other) => !before(other, item));
  }

  /** The first position whose item passes; all behind it pass too. The size if none does. */
  first(passes: (item: Scored) => boolean): number {
    let low = 0;
    let high = this.order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (passes(this.order[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
