/**
 * One trial on plain Node: the same tests in a fresh module state, with mocha's own timers and the
 * real event loop, which real delay makes follow a schedule; see `node/plain-node.ts`.
 */

import { pristine } from '../node/pristine.js';
import type { MochaInstance, Runnable, Runner } from './mocha-package.js';
import { Trial } from './trial.js';
import type { TrialResult } from './types.js';

export class PlainTrial extends Trial {
  private finish: () => void = () => undefined;

  async runOnPlainNode(): Promise<TrialResult> {
    this.scheduler.plainNode = true;
    this.begin();
    try {
      await new pristine.Promise<void>((resolve) => {
        this.finish = resolve;
        void this.start();
      });
      return this.result();
    } finally {
      this.end();
    }
  }

  protected override stop(): void {
    this.finish();
  }

  protected override startRunner(mocha: MochaInstance, runner: Runner): void {
    runner.on('hook', (hook: Runnable) => this.results.enter(hook));
    super.startRunner(mocha, runner);
  }
}
