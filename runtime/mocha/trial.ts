/**
 * One trial: the simulation of one test file in a fresh module state, whatever the test runner.
 *
 * Everything of it runs inside one call of `EventLoop.run`: files are evaluated in a promise job,
 * then their tests run. What stops the program from going on (a deadlock, an endless loop, an exit)
 * fails the test or hook that runs then, and the next one follows. A trial may also run on plain
 * Node, with real timers and real delay that makes it follow a schedule; see `node/plain-node.ts`.
 */

import { EventEmitter } from 'node:events';
import process from 'node:process';
import { DeadlockError, LivelockError, type BlockedTask } from '../errors.js';
import { EventLoop } from '../kernel/event-loop.js';
import { endsHost, tagged } from '../hosts/process.js';
import { TrialPrograms } from '../hosts/trial-programs.js';
import type { ModuleRegistry } from '../loader/registry.js';
import { canDrain, drain } from '../node/drain.js';
import { hostsOf } from '../node/host.js';
import { pristine, promiseResolve, subscribe } from '../node/pristine.js';
import { SimulatedNetwork } from '../node/sockets/network.js';
import { active, Scheduler } from '../tasks/scheduler.js';
import { blockedTasks } from '../tasks/blocked.js';
import { presentable } from './failure.js';
import type { Runnable, Runner } from './mocha-package.js';
import { setTrialProcess, type TrialProcess } from './process-guard.js';
import { LOAD_SCOPE, Results } from './results.js';
import type { TrialEnvironment } from './trial-runner.js';
import type { Failure, Journal, TrialRequest, TrialResult } from './types.js';
import { setTrialClock, type TrialClock } from './virtual-clock.js';

const MAX_OUTPUT = 65_536;
const emitOnProcess = EventEmitter.prototype.emit;

export abstract class Trial<E extends TrialEnvironment = TrialEnvironment>
  implements TrialClock, TrialProcess
{
  readonly loop: EventLoop;
  protected readonly scheduler: Scheduler;
  protected readonly results: Results;
  protected readonly registry: ModuleRegistry;
  private readonly journal: { name: string; args: unknown[] }[] = [];
  /** Tests and hooks that were ended from outside. */
  protected readonly ended = new WeakSet<Runnable>();
  protected runner: Runner | undefined;
  protected running = false;
  private finish: (() => void) | undefined;
  private loadError: Failure | undefined;
  private output = '';
  private budgetFrom = { steps: 0, now: 0 };

  constructor(
    protected readonly environment: E,
    protected readonly request: TrialRequest,
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
    SimulatedNetwork.of(this.scheduler).unreachable = environment.unreachable;
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

  /** The same on plain Node, with the runner's own timers and the real event loop. */
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

  /** Loads the files and runs their tests; calls `stop` when nothing is left to run. */
  protected abstract start(): Promise<void>;

  /** Whether the request asks for this test. */
  protected abstract selects(test: Runnable): boolean;

  /** The root of the suites, for a journal. */
  protected abstract get rootSuite(): unknown;

  private begin(): void {
    this.environment.state.begin();
    active.scheduler = this.scheduler;
    setTrialProcess(this);
    this.request.observe?.(this.scheduler);
    this.results.beginScope(LOAD_SCOPE);
  }

  private end(): void {
    this.scheduler.end();
    active.scheduler = undefined;
    setTrialClock(undefined);
    setTrialProcess(undefined);
    this.environment.state.restore();
    this.runner?.dispose();
  }

  private result(): TrialResult {
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
      hosts: hostsOf(this.scheduler).length > 1,
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
    return { root: this.rootSuite, events: this.journal };
  }

  // ---- loading ---------------------------------------------------------------------------------

  /** Evaluates a file, as the runner's own loading would. */
  protected evaluate(file: string): unknown {
    return this.registry.isEsModule(file)
      ? this.registry.importFile(file)
      : this.registry.require(file);
  }

  protected failLoading(error: unknown): void {
    this.loadError ??= this.results.describe(error);
    this.running = false;
    this.stop();
  }

  /** Nothing is left to run. */
  protected stop(): void {
    if (this.finish === undefined) this.loop.stop();
    else this.finish();
  }

  // ---- running ---------------------------------------------------------------------------------

  protected note(name: string, ...args: unknown[]): void {
    if (this.request.journal === true) this.journal.push({ name, args });
  }

  enter(runnable: Runnable): void {
    this.results.enter(runnable);
    this.budgetFrom = { steps: this.loop.steps, now: this.loop.now };
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
  protected failRunnable(error: unknown): boolean {
    const runnable = this.runner?.currentRunnable;
    if (runnable?.callback === undefined || runnable.state !== undefined) return false;
    this.ended.add(runnable);
    runnable.clearTimeout();
    runnable.callback(error);
    return true;
  }

  /** An error reached the process: its listeners get it, mocha's runner among them. */
  protected uncaught(error: unknown, origin: string): void {
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
      `${call} was called: it would end the test runner itself, with all tests that are still to come. ` +
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

/** The test runner itself has failed. */
export function stuck(cause: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(
    `The test runner could not go on${reason}: the program has broken something that it needs, for ` +
      'instance a global. Look at what the last test replaces.',
    { cause },
  );
}
