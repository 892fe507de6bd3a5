/**
 * Takes keys away when their time has come, for those who listen to notifications of that.
 *
 * Nobody else can tell when a key went that was not touched since, so without listeners there is
 * no timer: a simulation that waits for nothing else stays idle.
 */

import type { Engine } from './engine.js';

/** What a timer can wait for at once, in milliseconds. */
const DELAY_MAX = 2 ** 31 - 1;

export class ExpiryTimer {
  private timer: NodeJS.Timeout | undefined;
  private due = Infinity;

  constructor(private readonly engine: Engine) {}

  /** A key expires then, in milliseconds since 1970. */
  schedule(expiresAt: number): void {
    if (!this.engine.listensTo('x') || expiresAt >= this.due) return;
    this.stop();
    this.due = expiresAt;
    const delay = Math.min(Math.max(0, expiresAt - this.engine.now), DELAY_MAX);
    this.timer = setTimeout(() => this.strike(), delay);
    this.timer.unref();
  }

  /** Looks at all keys again. */
  restart(): void {
    this.stop();
    for (const database of this.engine.databases) {
      for (const key of database.keys()) {
        const expiresAt = database.expiryOf(key);
        if (expiresAt !== undefined) this.schedule(expiresAt);
      }
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due = Infinity;
  }

  private strike(): void {
    this.engine.act(() => this.restart());
  }
}
