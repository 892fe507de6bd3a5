/**
 * SURW, selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury, ASPLOS 2025): of the
 * tasks that could go on, one is picked with a probability in proportion to how many steps it still
 * has. That samples all interleavings of independent tasks uniformly, where an even choice at each
 * step favours those in which the short tasks end early.
 *
 * The counts come from the run without deviations. The selection is by site: half of the trials
 * hold every point, half those of a random half of the sites.
 */

import type { Choice, Held } from '../../kernel/choice.js';
import { finish, fraction, mix } from '../../kernel/hash.js';
import type { Rung } from '../../kernel/rung.js';
import type { ScopeProfile } from '../profile.js';
import { Holding } from './holding.js';

export class Surw extends Holding {
  private readonly selective: boolean;
  private readonly left = new Map<number, number>();
  private clockLeft: number;
  private steps = 0;

  constructor(
    seed: number,
    private readonly profile: ScopeProfile,
    private readonly rung: Rung,
  ) {
    super(seed, profile);
    this.selective = (finish(mix(seed, 0x5a1)) & 1) === 1;
    this.clockLeft = profile.times.length;
  }

  override delay(choice: Choice): number {
    if (this.selective && (finish(mix(this.seed, choice.site.hash)) & 1) === 1) return 0;
    return super.delay(choice);
  }

  protected next(ready: readonly Held[], clock: boolean): Held | undefined {
    const weights = ready.map(({ task }) => this.weight(task.hash));
    const clockWeight = clock ? Math.max(1, this.clockLeft) : 0;
    const total = weights.reduce((sum, weight) => sum + weight, clockWeight);
    let at = total * fraction(mix(mix(this.seed, 0x5a2), this.steps++));
    for (let i = 0; i < ready.length; i++) {
      at -= weights[i];
      if (at < 0) return ready[i];
    }
    return clock ? undefined : ready.at(-1);
  }

  protected override picked(picked: Held | undefined): void {
    if (picked === undefined) this.clockLeft--;
    else this.left.set(picked.task.hash, this.weight(picked.task.hash) - 1);
  }

  /** Steps that the task still has; a task that is new, or has more than before, has one. */
  private weight(task: number): number {
    const left = this.left.get(task) ?? this.profile.tasks.get(task)?.[this.rung] ?? 1;
    return Math.max(1, left);
  }
}
