/**
 * One trial: the simulation of one spec file in a fresh module state.
 *
 * Everything of it runs inside one call of `EventLoop.run`: `--require` files and specs are
 * evaluated in a promise job, as mocha does, then a real mocha `Runner` runs. What stops the
 * program from going on (a deadlock, an endless loop, an exit) fails the runnable that runs then,
 * and the next one follows.
 */

import { EventEmitter } from 'node:events';
import process from 'node:process';
import { DeadlockError, LivelockError, type BlockedTask } from '../errors.js';
import { EventLoop } from '../kernel/event-loop.js';
import { endsHost, tagged } from '../hosts/process.js';
import { TrialPrograms } from '../hosts/trial-programs.js';
import type { ModuleRegistry } from '../loader/registry.js';
import { canDrain, drain } from '../node/drain.js';
import { promiseResolve, subscribe } from '../node/pristine.js';
import { active, Scheduler } from '../tasks/scheduler.js';
import { blockedTasks } from '../tasks/blocked.js';
import { presentable } from './failure.js';
import type { MochaInstance, MochaOptions, Runnable, Runner } from './mocha-package.js';
import { setTrialProcess, type TrialProcess } from './process-guard.js';
import { LOAD_SCOPE, Results } from './results.js';
import type { TrialEnvironment } from './trial-runner.js';
import type { Failure, Journal, TrialRequest, TrialResult } from './types.js';
import { setTrialClock, type TrialClock } from './virtual-clock.js';

const MAX_OUTPUT = 65_536;
const JOURNALED = ['suite', 'suite end', 'test', 'test end', 'pass', 'fail', 'pending', 'retry']
  .concat(['hook', 'hook end'])
  .concat(['waiting', 'ready']);

const emitOnProcess = EventEmitter.prototype.emit;

export class Trial implements TrialClock, TrialProcess {
  readonly loop: EventLoop;
  protected readonly scheduler: Scheduler;
  protected readonly results: Results;
  private readonly registry: ModuleRegistry;
  private readonly journal: { name: string; args: unknown[] }[] = [];
  /** Runnables that were ended from outside. */
  private readonly ended = new WeakSet<Runnable>();
  private mocha: MochaInstance | undefined;
  protected runner: Runner | undefined;
  private running = false;
  private loadError: Failure | undefined;
  private output = '';
  private budgetFrom = { steps: 0, now: 0 };

  constructor(
    private readonly environment: TrialEnvironment,
    private readonly request: TrialRequest,
  ) {
    this.loop = new EventLoop({
      drain: () => {
        drain();
        this.scheduler.afterEvent?.();
      },
      onError: (error) => this.uncaught(error, 'uncaughtException'),
      onIdle: () => this.idle(),
      onBudget: () => this.outOfBudget(),
      maxSteps: environment.maxSteps,
      maxStall: environment.maxStall,
    });
    this.scheduler = new Scheduler(this.loop);
    this.results = new Results(
      this.scheduler,
      request.plan,
      environment.stacks,
      environment.faults,
    );
    this.registry = environment.loader.fresh();
    this.scheduler.programs = new TrialPrograms(environment.loader, request.file);
  }

  run(): TrialResult {
    if (active.scheduler !== undefined || !canDrain()) {
      throw new Error(
        'A trial cannot begin inside a simulation or an async continuation: ' +
          'use `await runAsync()`.',
      );
    }
    this.begin();
    setTrialClock(this);
    try {
      subscribe(
        promiseResolve(undefined),
        () => void this.start(),
        () => {},
      );
      this.loop.run();
      if (this.running) this.failLoading(stuck(undefined));
      return this.result();
    } finally {
      this.end();
    }
  }

  protected begin(): void {
    this.environment.state.begin();
    active.scheduler = this.scheduler;
    setTrialProcess(this);
    this.request.observe?.(this.scheduler);
    this.results.beginScope(LOAD_SCOPE);
  }

  protected end(): void {
    this.scheduler.end();
    active.scheduler = undefined;
    setTrialClock(undefined);
    setTrialProcess(undefined);
    this.environment.state.restore();
    this.runner?.dispose();
  }

  protected result(): TrialResult {
    this.results.finish(this.runner, (test) => this.selects(test));
    const { loop, results } = this;
    return {
      tests: results.tests,
      digest: loop.digest,
      shape: results.shape,
      shapes: results.shapes,
      choices: loop.choices,
      steps: loop.steps,
      virtualNs: loop.now,
      overtaken: this.scheduler.overtaken,
      uncontrolled: [...results.uncontrolled.values()].map(({ call, site }) => ({
        call,
        site: site.position(),
      })),
      ...(this.loadError === undefined ? {} : { loadError: this.loadError }),
      output: this.output,
      ...(this.request.journal === true ? { journal: this.journalOf() } : {}),
    };
  }

  private journalOf(): Journal {
    return { root: this.mocha?.suite, events: this.journal };
  }

  // ---- loading ---------------------------------------------------------------------------------

  protected async start(): Promise<void> {
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

  private evaluate(file: string): unknown {
    return this.registry.isEsModule(file)
      ? this.registry.importFile(file)
      : this.registry.require(file);
  }

  private failLoading(error: unknown): void {
    this.loadError ??= this.results.describe(error);
    this.running = false;
    this.stop();
  }

  /** Nothing is left to run. */
  protected stop(): void {
    this.loop.stop();
  }

  // ---- running ---------------------------------------------------------------------------------

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

  private selects(test: Runnable): boolean {
    const selected = this.pattern(this.mocha!.options);
    return selected === undefined || selected.pattern.test(test.fullTitle()) !== selected.invert;
  }

  protected startRunner(mocha: MochaInstance, runner: Runner): void {
    this.results.listen(runner);
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

  private note(name: string, ...args: unknown[]): void {
    if (this.request.journal === true) this.journal.push({ name, args });
  }

  enter(runnable: Runnable): void {
    this.results.enter(runnable);
    this.budgetFrom = { steps: this.loop.steps, now: this.loop.now };
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

  // ---- what stops the program ------------------------------------------------------------------

  /** No event is left that could move the program. */
  private idle(): boolean {
    const runnable = this.runner?.currentRunnable;
    const error = new DeadlockError(this.blocked(runnable));
    if (!this.running || runnable === undefined) {
      this.failLoading(error);
      return false;
    }
    return this.failRunnable(error);
  }

  /** What waits, for a deadlock report: tasks of the scope, or all when none of it does. */
  private blocked(runnable: Runnable | undefined): BlockedTask[] {
    const { scheduler, results, environment } = this;
    const body = runnable === undefined ? 'the file' : runnable.type === 'hook' ? 'the hook' : '';
    const own = blockedTasks(scheduler, results.current).map((task) =>
      task.name === '' ? { ...task, name: body } : task,
    );
    if (runnable === undefined || !runnable.async) {
      return own.length > 0 ? own : blockedTasks(scheduler);
    }
    const position = environment.relative(runnable.file ?? this.request.file);
    return [{ name: body, waitsFor: 'its callback `done`', position, stack: [] }, ...own];
  }

  private outOfBudget(): void {
    const { loop, budgetFrom, scheduler } = this;
    const error = new LivelockError(loop.steps - budgetFrom.steps, loop.now - budgetFrom.now);
    scheduler.abandon(scheduler.base.task.scope);
    this.results.renewScope();
    if (!this.running || !this.failRunnable(error)) this.failLoading(error);
  }

  /** Ends the runnable that runs now with an error. Returns false when there is none to end. */
  private failRunnable(error: unknown): boolean {
    const runnable = this.runner?.currentRunnable;
    if (runnable?.callback === undefined || runnable.state !== undefined) return false;
    this.ended.add(runnable);
    runnable.clearTimeout();
    runnable.callback(error);
    return true;
  }

  /** An error reached the process: its listeners get it, mocha's runner among them. */
  private uncaught(error: unknown, origin: string): void {
    if (endsHost(this.scheduler, error)) return;
    if (this.runner === undefined || process.listenerCount('uncaughtException') === 0) {
      return this.failLoading(error);
    }
    const { results } = this;
    results.rejection = origin === 'unhandledRejection';
    try {
      Reflect.apply(emitOnProcess, process, ['uncaughtException', error, origin]);
    } catch (thrown) {
      if (this.running && !this.failRunnable(presentable(thrown))) this.failLoading(stuck(thrown));
    } finally {
      results.rejection = false;
    }
  }

  unhandledRejection(reason: unknown, promise: unknown): void {
    if (endsHost(this.scheduler, reason)) return;
    if (process.listenerCount('unhandledRejection') === 0) {
      return this.uncaught(reason, 'unhandledRejection');
    }
    try {
      Reflect.apply(emitOnProcess, process, ['unhandledRejection', reason, promise]);
    } catch (error) {
      this.uncaught(error, 'uncaughtException');
    }
  }

  loadsPackage(evaluate: () => void): void {
    const { scheduler } = this;
    const nested = scheduler.loadingPackage;
    scheduler.loadingPackage = true;
    try {
      this.environment.state.keep(evaluate);
    } finally {
      scheduler.loadingPackage = nested;
    }
  }

  exited(call: string): never {
    const error = new Error(
      `${call} was called: it would end mocha itself, with all tests that are still to come. ` +
        'Replace it by a stub in this test.',
    );
    if (!this.running || !this.failRunnable(error)) this.failLoading(error);
    throw error;
  }

  wrote(stream: 'stdout' | 'stderr', written: string): boolean {
    const text = tagged(written);
    this.note('output', stream, text);
    if (this.output.length < MAX_OUTPUT) this.output += text.slice(0, MAX_OUTPUT);
    return this.request.console === 'show';
  }
}

/** Mocha's constructor asks for a reporter; a trial reports nothing. */
class NoReporter {}

/** Mocha itself has failed. */
function stuck(cause: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(
    `Mocha could not go on${reason}: the program has broken something that mocha needs, for ` +
      'instance a global. Look at what the last test replaces.',
    { cause },
  );
}

function isMultipleDone(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_MOCHA_MULTIPLE_DONE';
}

function exactly(title: string): RegExp {
  return new RegExp(`^${title.replace(/[|\\{}()[\]^$+*?.]/g, '\\$&')}$`);
}
