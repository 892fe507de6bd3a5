/**
 * Bounded-exhaustive: every order in which the held points can go on, one after the other.
 *
 * Stateless search (Godefroid, POPL 1997): a run is determined by which of the alternatives was
 * taken at each step. The next run takes the same ones up to the last step that has an alternative
 * left, and that alternative there. Letting time pass is one of the alternatives, as far as the
 * other strategies that hold may let it pass. Nothing is pruned: that two steps
 * may be swapped without effect is sound only where all effects of both are known. Values are those
 * of plain Node.
 */

import { HOLD, isOrder, Kind, noDeviation, type Held, type Strategy } from '../../kernel/choice.js';
import type { ScopeProfile } from '../profile.js';
import { longestDelay } from './draws.js';

/** What was taken at a step, and of how many alternatives. */
interface Step {
  taken: number;
  readonly of: number;
}

/** All schedules of one scope. */
export class Enumeration {
  /** How many schedules have been run. */
  explored = 0;
  /** Whether these are all there are. */
  complete = false;
  private path: Step[] = [];

  constructor(private readonly profile: ScopeProfile) {}

  /** The strategy of the next run. */
  begin(): Strategy {
    let depth = 0;
    let timeLeft = longestDelay(this.profile);
    return {
      ...noDeviation,
      delay: ({ kind, limit }) =>
        limit === Infinity && kind !== Kind.Operation && isOrder(kind) ? HOLD : 0,
      pick: (ready, now, next) => {
        const clock = next - now <= timeLeft ? 1 : 0;
        const taken = this.take(depth++, ready, ready.length + clock);
        if (taken === undefined) timeLeft -= next - now;
        return taken;
      },
    };
  }

  /** The run has ended; the next one takes another way. */
  end(): void {
    this.explored++;
    while (this.path.length > 0) {
      const last = this.path[this.path.length - 1];
      if (++last.taken < last.of) return;
      this.path.pop();
    }
    this.complete = true;
  }

  /** The alternative of a step: those in the order in which they became ready, then the clock. */
  private take(depth: number, ready: readonly Held[], of: number): Held | undefined {
    if (depth === this.path.length) this.path.push({ taken: 0, of });
    const { taken } = this.path[depth];
    return ready[taken];
  }
}
