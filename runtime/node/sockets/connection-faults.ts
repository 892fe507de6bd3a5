/**
 * What can go wrong with one direction of a connection, and how its bytes are cut up.
 *
 * The n-th time that something is sent is decided by (direction, kind, n). Nothing goes wrong by
 * default; but a stream keeps no boundaries, so now and then a write arrives in two parts.
 */

import { Kind } from '../../kernel/choice.js';
import { Source } from '../../kernel/source.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import type { SocketFaults } from '../faults.js';

/** How often a write arrives in two parts, where strategies let such things happen. */
const SPLIT_RATE = 1 / 32;

export class ConnectionFaults extends Source {
  private sent = 0;
  private arrived = 0;

  /** @param name tells the direction from every other: `tcp/3>` and `tcp/3<` */
  constructor(
    private readonly scheduler: Scheduler,
    name: string,
  ) {
    super(scheduler.scope.task, name);
  }

  /** Where a write of so many bytes is cut in two; 0 when it is not. */
  cut(length: number): number {
    if (length < 2) return 0;
    const { loop } = this.scheduler;
    const sent = ++this.sent;
    if (!loop.strikes(Kind.Chunk, this, sent, SPLIT_RATE)) return 0;
    return 1 + Math.floor(loop.draw(Kind.Place, this, sent) * (length - 1));
  }

  /** What becomes of something that arrives. */
  strike({ reset = 0, halfOpen = 0 }: SocketFaults): 'reset' | 'silent' | undefined {
    if (reset <= 0 && halfOpen <= 0) return undefined;
    const { loop } = this.scheduler;
    const arrived = ++this.arrived;
    if (loop.strikes(Kind.Reset, this, arrived, reset)) return 'reset';
    return loop.strikes(Kind.HalfOpen, this, arrived, halfOpen) ? 'silent' : undefined;
  }
}
