/**
 * One trial of a project whose runner is not mocha: the file declares its tests with the API of
 * that runner, and detsim's own suite runner runs them.
 *
 * The runners themselves are bound to their worker processes and to timers that they have taken
 * before the virtual ones were there; what their tests see is their API. The events are those of
 * mocha's runner, so that results, scopes and titles are the same whatever the runner.
 */

import { EventEmitter } from 'node:events';
import process from 'node:process';
import type { Runnable, Runner } from '../mocha/mocha-package.js';
import { Trial } from '../mocha/trial.js';
import type { TrialEnvironment } from '../mocha/trial-runner.js';
import { endsHost } from '../hosts/process.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { harness } from '../node/harness.js';
import { pristine, promiseResolve, subscribe } from '../node/pristine.js';
import type { Adapter } from './adapter.js';
import { AdaptedRunnable } from './runnable.js';
import {
  fullTitle,
  hasOnly,
  modeOf,
  Suite,
  testsIn,
  titlesOf,
  type Hook,
  type HookName,
  type TestCase,
} from './suite.js';

export interface AdaptedEnvironment extends TrialEnvironment {
  readonly adapter: Adapter;
}

/** What the trial's base class needs of a runner. */
class Events extends EventEmitter {
  readonly suite = { eachTest: () => undefined };
  state = 'running';
  currentRunnable: AdaptedRunnable | undefined;

  dispose(): void {
    this.removeAllListeners();
  }
}

const HOOK_TITLES: Record<HookName, string> = {
  beforeAll: '"before all" hook',
  beforeEach: '"before each" hook',
  afterEach: '"after each" hook',
  afterAll: '"after all" hook',
};

export class AdaptedTrial extends Trial<AdaptedEnvironment> {
  private readonly events = new Events();
  private readonly root = new Suite('', undefined, 'run');
  private only = false;

  protected override get rootSuite(): unknown {
    return this.root;
  }

  protected override selects(test: Runnable): boolean {
    return this.asksFor(test.fullTitle());
  }

  protected override async start(): Promise<void> {
    const { adapter } = this.environment;
    this.runner = this.events as unknown as Runner;
    this.results.listen(this.runner);
    try {
      Object.assign(globalThis, adapter.globals);
      const declared = adapter.begin(this.root);
      for (const file of adapter.setupFiles) await this.evaluate(file);
      await this.evaluate(this.request.file);
      await declared();
      this.running = true;
      this.only = hasOnly(this.root);
      await this.runSuite(this.root);
      this.running = false;
      adapter.end();
      this.stop();
    } catch (error) {
      this.failLoading(error);
    }
  }

  // ---- suites and tests ------------------------------------------------------------------------

  private async runSuite(suite: Suite): Promise<void> {
    const tests = testsIn(suite).filter((test) => this.asksFor(fullTitle(titlesOf(test))));
    const runs = tests.some((test) => modeOf(test, this.only) === 'run');
    const failed = runs ? await this.runAllHooks(suite, 'beforeAll') : undefined;
    for (const child of suite.children) {
      if (child instanceof Suite) {
        if (failed === undefined) await this.runSuite(child);
        else for (const test of testsIn(child)) this.leaveOut(test, failed);
      } else if (failed !== undefined) this.leaveOut(child, failed);
      else await this.runTest(child);
    }
    if (runs) await this.runAllHooks(suite, 'afterAll');
  }

  private async runTest(test: TestCase): Promise<void> {
    const titles = titlesOf(test);
    if (!this.asksFor(fullTitle(titles))) return;
    if (modeOf(test, this.only) !== 'run') {
      this.events.emit('pending', new AdaptedRunnable('test', titles));
      return;
    }
    const { adapter } = this.environment;
    for (let attempt = 0; ; attempt++) {
      const runnable = new AdaptedRunnable('test', titles, attempt);
      this.events.emit('test', runnable);
      const context = adapter.contextOf(test, this.request.file);
      const error = await this.attempt(test, runnable, context);
      const last = attempt >= test.retries;
      if (context.skipped !== undefined && error === undefined) {
        this.events.emit('pending', runnable);
      } else if (error === undefined) {
        runnable.state = 'passed';
        this.events.emit('pass', runnable);
      } else if (last) {
        runnable.state = 'failed';
        this.events.emit('fail', runnable, error.reason);
      } else continue;
      return;
    }
  }

  /** The test with its hooks. @returns what failed first */
  private async attempt(
    test: TestCase,
    runnable: AdaptedRunnable,
    context: ReturnType<Adapter['contextOf']>,
  ): Promise<{ reason: unknown } | undefined> {
    const { adapter } = this.environment;
    const { line } = test.parent;
    let error: { reason: unknown } | undefined;
    const hooks = (name: HookName, suites: readonly Suite[]) =>
      suites.flatMap((suite) => suite.hooks[name]);
    for (const hook of hooks('beforeEach', line)) {
      error ??= await this.runHook('beforeEach', hook, runnable.titlePath(), context.value);
    }
    if (error === undefined) {
      const body = await this.call(runnable, () => adapter.call(test.fn, context), test.timeout);
      error = test.fails ? inverted(body) : body;
      error ??= adapter.verify(context);
    }
    const innermostFirst = [...line].reverse();
    for (const hook of [...context.cleanUps, ...hooks('afterEach', innermostFirst)]) {
      const failed = await this.runHook('afterEach', hook, runnable.titlePath(), context.value);
      error ??= failed;
    }
    if (context.skipped !== undefined && error?.reason === context.skipped) return undefined;
    return error;
  }

  /** The hooks around a suite. @returns why the tests in it are not run */
  private async runAllHooks(
    suite: Suite,
    name: 'beforeAll' | 'afterAll',
  ): Promise<string | undefined> {
    const hooks = suite.hooks[name];
    for (const hook of name === 'afterAll' ? [...hooks].reverse() : hooks) {
      const where = suite.title === '' ? '' : ` in "${suite.title}"`;
      const title = `${HOOK_TITLES[name]}${where}`;
      const runnable = new AdaptedRunnable('hook', [...suite.path, title]);
      this.enter(runnable as unknown as Runnable);
      const error = await this.call(runnable, () => hook.fn(), hook.timeout);
      if (error === undefined) continue;
      this.events.emit('fail', runnable, error.reason);
      return `${title} failed`;
    }
    return undefined;
  }

  private async runHook(
    name: 'beforeEach' | 'afterEach',
    hook: Hook,
    titles: readonly string[],
    context: unknown,
  ): Promise<{ reason: unknown } | undefined> {
    const title = `${HOOK_TITLES[name]} for "${titles.at(-1)}"`;
    const runnable = new AdaptedRunnable('hook', [...titles.slice(0, -1), title]);
    const error = await this.call(runnable, () => hook.fn(context), hook.timeout);
    if (error !== undefined) this.events.emit('fail', runnable, error.reason);
    return error;
  }

  private leaveOut(test: TestCase, reason: string): void {
    const titles = titlesOf(test);
    if (modeOf(test, this.only) !== 'run' || !this.asksFor(fullTitle(titles))) return;
    this.results.skip(fullTitle(titles), `not run: ${reason}`);
  }

  private asksFor(title: string): boolean {
    const { only, grep } = this.request;
    if (only !== undefined) return title === only;
    if (grep !== undefined) return grep.pattern.test(title) !== grep.invert;
    const pattern = this.environment.adapter.grep;
    return pattern === undefined || pattern.test(title);
  }

  // ---- one function ----------------------------------------------------------------------------

  /**
   * Runs the function of a test or hook in a turn of its own, until it is settled, its time is
   * over, or something ends it from outside.
   */
  private call(
    runnable: AdaptedRunnable,
    fn: () => unknown,
    timeoutMs: number,
  ): Promise<{ reason: unknown } | undefined> {
    const { loop, scheduler } = this;
    return new pristine.Promise((resolve) => {
      let stopTimer = (): void => {};
      const settle = (error: { reason: unknown } | undefined): void => {
        runnable.state ??= error === undefined ? 'passed' : 'failed';
        runnable.callback = undefined;
        stopTimer();
        resolve(error);
      };
      const fail = (reason: unknown): void => settle({ reason });
      runnable.clearTimeout = () => stopTimer();
      runnable.callback = fail;
      harness.setImmediate(() => {
        this.events.currentRunnable = runnable;
        if (timeoutMs > 0) {
          const expire = (): void => fail(timeoutError(runnable, timeoutMs));
          if (scheduler.plainNode) {
            const timer = pristine.setTimeout(expire, timeoutMs);
            stopTimer = () => pristine.clearTimeout(timer);
          } else {
            const timer = loop.startHarnessTimer(timeoutMs * MILLISECOND, expire, loop.injected);
            stopTimer = () => loop.stopHarnessTimer(timer);
          }
        }
        try {
          subscribe(promiseResolve(fn()), () => settle(undefined), fail);
        } catch (error) {
          fail(error);
        }
      });
    });
  }

  protected override uncaught(error: unknown, origin: string): void {
    if (endsHost(this.scheduler, error)) return;
    if (process.listenerCount('uncaughtException') > 0) return super.uncaught(error, origin);
    this.results.rejection = origin === 'unhandledRejection';
    if (!this.running || !this.failRunnable(error)) this.failLoading(error);
    // The failure is told in a later step, which asks what kind it was.
    this.results.rejectionOf = this.results.rejection ? { reason: error } : undefined;
    this.results.rejection = false;
  }
}

function inverted(error: { reason: unknown } | undefined): { reason: unknown } | undefined {
  return error === undefined
    ? { reason: new Error('it passes, and is marked to fail') }
    : undefined;
}

/** In the words of the runners, with the code by which a timeout is known. */
function timeoutError(runnable: AdaptedRunnable, ms: number): Error {
  const what = runnable.type === 'hook' ? 'Hook' : 'Test';
  return Object.assign(new Error(`${what} timed out in ${ms} ms.`), { code: 'ERR_TEST_TIMEOUT' });
}
