/**
 * One trial of a mocha project: `--require` files and specs are evaluated as mocha does, then a
 * real mocha `Runner` runs.
 */

import process from 'node:process';
import { subscribe } from '../node/pristine.js';
import { presentable } from './failure.js';
import type { MochaInstance, MochaOptions, Runnable, Runner } from './mocha-package.js';
import { Trial } from './trial.js';
import type { MochaEnvironment } from './trial-runner.js';
import type { TrialRequest } from './types.js';

const JOURNALED = ['suite', 'suite end', 'test', 'test end', 'pass', 'fail', 'pending', 'retry']
  .concat(['hook', 'hook end'])
  .concat(['waiting', 'ready']);

export class MochaTrial extends Trial<MochaEnvironment> {
  private mocha: MochaInstance | undefined;

  protected override get rootSuite(): unknown {
    return this.mocha?.suite;
  }

  protected override async start(): Promise<void> {
    const { environment, request } = this;
    try {
      const required: unknown[] = [];
      for (const one of environment.requires) {
        required.push('file' in one ? await this.evaluate(one.file) : one.exports);
      }
      const mocha = new environment.Mocha({
        ...environment.options,
        ...(await environment.pluginsOf(required)),
        reporter: NoReporter,
      });
      this.mocha = mocha;
      for (const file of environment.filesFor(request.file)) await this.loadSpec(mocha, file);
      this.runner = this.newRunner(mocha);
      if (mocha.hasGlobalSetupFixtures()) await mocha.runGlobalSetup(this.runner);
      this.startRunner(mocha, this.runner);
    } catch (error) {
      this.failLoading(error);
    }
  }

  private async loadSpec(mocha: MochaInstance, file: string): Promise<void> {
    const { suite } = mocha;
    suite.emit('pre-require', globalThis, file, mocha);
    const exports = this.registry.isEsModule(file)
      ? await this.registry.importFile(file)
      : this.registry.require(file);
    suite.emit('require', exports, file, mocha);
    suite.emit('post-require', globalThis, file, mocha);
  }

  private newRunner(mocha: MochaInstance): Runner {
    const { options } = mocha;
    const runner = new this.environment.Mocha.Runner(mocha.suite, {
      cleanReferencesAfterRun: false,
      delay: options.delay,
      dryRun: options.dryRun,
      failHookAffectedTests: options.failHookAffectedTests,
    });
    runner.checkLeaks = options.checkLeaks === true;
    // Stacks are mapped first; whoever shows them filters them.
    runner.fullStackTrace = true;
    runner.asyncOnly = options.asyncOnly;
    runner.forbidOnly = options.forbidOnly;
    runner.forbidPending = options.forbidPending;
    if (options.global) runner.globals(options.global);
    const selected = this.pattern(options);
    if (selected !== undefined) runner.grep(selected.pattern, selected.invert);
    runner.fail = this.failWith(runner.fail);
    return runner;
  }

  private pattern(options: MochaOptions): TrialRequest['grep'] {
    const { only, grep } = this.request;
    if (only !== undefined) return { pattern: exactly(only), invert: false };
    if (grep !== undefined || !options.grep) return grep;
    return { pattern: options.grep as RegExp, invert: Boolean(options.invert) };
  }

  protected override selects(test: Runnable): boolean {
    const selected = this.pattern(this.mocha!.options);
    return selected === undefined || selected.pattern.test(test.fullTitle()) !== selected.invert;
  }

  private startRunner(mocha: MochaInstance, runner: Runner): void {
    this.results.listen(runner);
    // Mocha's own timers enter a hook where the virtual ones do not.
    if (this.scheduler.plainNode) runner.on('hook', (hook: Runnable) => this.results.enter(hook));
    for (const name of JOURNALED) runner.on(name, (...args) => this.noteEvent(name, args));
    this.running = true;
    runner.run(() => this.runnerEnded(mocha, runner), {
      files: mocha.files,
      options: mocha.options,
    });
    // Mocha hands rejections on to the process; here they come to the trial without it.
    process.removeListener('unhandledRejection', runner.unhandled);
  }

  private runnerEnded(mocha: MochaInstance, runner: Runner): void {
    this.running = false;
    if (!mocha.hasGlobalTeardownFixtures()) return this.stop();
    subscribe(
      mocha.runGlobalTeardown(runner, { context: runner }) as Promise<unknown>,
      () => this.stop(),
      (error) => this.failLoading(error),
    );
  }

  /** A failure that says nothing is a skipped test to a reporter, with the reason in its title. */
  private noteEvent(name: string, args: readonly unknown[]): void {
    const [runnable] = args as [Runnable];
    const reason = name === 'fail' ? this.results.skipReasonOf(runnable) : undefined;
    if (reason === undefined) return this.note(name, ...args);
    if (this.request.journal === true) runnable.title += ` (${reason})`;
    this.note('pending', runnable);
  }

  /** `Runner.prototype.fail` with what a trial adds to it. */
  private failWith(fail: Runner['fail']): Runner['fail'] {
    const { ended, environment } = this;
    return function (this: Runner, test, error, force) {
      // What a test still does after it was ended from outside is no failure of its own.
      if (ended.has(test) && isMultipleDone(error)) return;
      environment.stacks.mapError(error);
      try {
        fail.call(this, test, error, force);
      } catch (thrown) {
        // Mocha looks at what was thrown to present it, and looking may throw.
        if (this.state === 'stopped') throw thrown;
        this.emit('fail', test, presentable(error));
      }
    };
  }
}

/** Mocha's constructor asks for a reporter; a trial reports nothing. */
class NoReporter {}

function isMultipleDone(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_MOCHA_MULTIPLE_DONE';
}

function exactly(title: string): RegExp {
  return new RegExp(`^${title.replace(/[|\\{}()[\]^$+*?.]/g, '\\$&')}$`);
}
