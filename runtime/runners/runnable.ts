/** A test or hook while it runs, as far as a trial's results ask for it. */

import { fullTitle } from './suite.js';

export class AdaptedRunnable {
  state: string | undefined;
  readonly async = false;
  /** Ends it from outside, with an error. */
  callback: ((error?: unknown) => void) | undefined;
  clearTimeout = (): void => {};
  /** Hooks of a suite that failed are told by their own titles here. */
  readonly parent = {};

  constructor(
    readonly type: 'test' | 'hook',
    private readonly titles: readonly string[],
    private readonly attempt = 0,
  ) {}

  get title(): string {
    return this.titles.at(-1)!;
  }

  titlePath(): readonly string[] {
    return this.titles;
  }

  fullTitle(): string {
    return fullTitle(this.titles);
  }

  currentRetry(): number {
    return this.attempt;
  }
}
