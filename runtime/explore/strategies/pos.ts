/**
 * POS, partial order sampling (Yuan, Yang and Gu, CAV 2018): each pending event has a random
 * priority and the highest goes next; then the priorities of those that race with it are drawn
 * anew.
 *
 * What races is not known here. Points of one site run the same code, which as a rule touches the
 * same state, so these are taken to race.
 */

import type { Held } from '../../kernel/choice.js';
import { fraction, mix } from '../../kernel/hash.js';
import { Holding } from './holding.js';

export class Pos extends Holding {
  /** How often the priority of a point was drawn anew. */
  private readonly draws = new Map<Held, number>();
  private ticks = 0;

  protected next(ready: readonly Held[], clock: boolean): Held | undefined {
    let best: Held | undefined;
    let highest = clock ? fraction(mix(mix(this.seed, 0x9050), this.ticks)) : -Infinity;
    for (const held of ready) {
      const priority = this.priority(held);
      if (priority > highest) {
        highest = priority;
        best = held;
      }
    }
    return best;
  }

  protected override picked(picked: Held | undefined, ready: readonly Held[]): void {
    if (picked === undefined) {
      this.ticks++;
      return;
    }
    this.draws.delete(picked);
    for (const held of ready) {
      if (held !== picked && held.site === picked.site) {
        this.draws.set(held, (this.draws.get(held) ?? 0) + 1);
      }
    }
  }

  private priority(held: Held): number {
    const hash = mix(mix(this.seed, held.key), held.occurrence);
    return fraction(mix(hash, this.draws.get(held) ?? 0));
  }
}
