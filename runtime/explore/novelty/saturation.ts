/**
 * Counts distinct shapes and outcomes, and says when there is hardly anything new to come.
 *
 * How much of the mass is still unseen is estimated as Good and Turing do it: by the share of the
 * trials whose shape was seen once (Good, Biometrika 1953). The search favours what is new, so the
 * estimate is on the cautious side: it says of the trials as they are drawn how many would be new.
 */

/** So many of the latest trials are looked at, once there are many shapes. */
const WINDOW = 1000;

/** With few shapes the window is shorter: so many trials for each of them. */
const TRIALS_FOR_EACH = 20;

/** The search ends when no more than one trial in so many of the window is new. */
const ONE_IN = 200;

export class Saturation {
  private readonly counts = new Map<string | number, number>();
  private readonly outcomes = new Set<string>();
  private once = 0;
  private total = 0;
  /** The trials that showed a new shape, in order. */
  private readonly freshAt: number[] = [];

  /** Notes a trial. Returns whether its shape is new. */
  add(shape: string | number, outcome: string): boolean {
    this.total++;
    this.outcomes.add(outcome);
    const count = (this.counts.get(shape) ?? 0) + 1;
    this.counts.set(shape, count);
    if (count === 1) {
      this.once++;
      this.freshAt.push(this.total);
    } else if (count === 2) this.once--;
    return count === 1;
  }

  /** A shape that others have seen is not new. */
  know(shape: string | number): void {
    this.counts.set(shape, 2);
  }

  get trials(): number {
    return this.total;
  }

  get shapes(): number {
    return this.counts.size;
  }

  get distinctOutcomes(): number {
    return this.outcomes.size;
  }

  /** How many trials are "lately". */
  get lately(): number {
    return Math.min(WINDOW, Math.max(20, TRIALS_FOR_EACH * this.shapes), this.total);
  }

  /** How many of the latest trials showed a new shape. */
  get newLately(): number {
    const since = this.total - this.lately;
    let count = 0;
    for (let i = this.freshAt.length - 1; i >= 0 && this.freshAt[i] > since; i--) count++;
    return count;
  }

  /** The estimated share of the mass of shapes that was seen, from 0 to 1. */
  get seen(): number {
    return this.total === 0 ? 0 : 1 - this.once / this.total;
  }

  /** Whether hardly anything new has come lately. */
  get dry(): boolean {
    const full = Math.min(WINDOW, Math.max(20, TRIALS_FOR_EACH * this.shapes));
    return this.total >= full && this.newLately <= full / ONE_IN;
  }
}
