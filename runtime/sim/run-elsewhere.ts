/**
 * The run of a simulation that belongs to a test runner: it is under way already, and ends with the
 * test. What a scenario checks after every event is checked there, too.
 */

import type { Scheduler } from '../tasks/scheduler.js';

export class RunElsewhere {
  readonly active = true;

  constructor(private readonly scheduler: Scheduler) {}

  set checks(checks: (() => void) | undefined) {
    this.scheduler.afterEvent = checks;
  }

  until(_horizon: number, call: string): never {
    throw new Error(
      `sim.${call}: the test runner runs this simulation, and it goes on while the test waits. ` +
        'Let time pass with `await sleep(5 * second)`, and wait for something with ' +
        '`await sim.until(...)`.',
    );
  }

  untilTrue(): never {
    return this.until(0, 'eventually');
  }

  /** Fails the test. */
  failAs(error: unknown): void {
    this.scheduler.loop.reportError(error);
  }
}
