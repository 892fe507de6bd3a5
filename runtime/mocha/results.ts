/**
 * Collects the results of one trial from the events of mocha's runner, and begins the scopes.
 *
 * A test with its `beforeEach` and `afterEach` hooks is one scope, each attempt of a retried test
 * another; a suite-level hook has a scope of its own. Every scope draws its choices for itself, so
 * a test that runs alone draws the same.
 */

import type { ScopePlan } from '../explore/plan.js';
import { faultsOfRun } from '../explore/swarm.js';
import type { Scope } from '../kernel/choice.js';
import { mix } from '../kernel/hash.js';
import { closeHosts } from '../hosts/make-host.js';
import { UncontrolledError } from '../errors.js';
import type { Faults } from '../node/faults.js';
import type { Scheduler, UncontrolledCall } from '../tasks/scheduler.js';
import { leaksOf } from '../tasks/blocked.js';
import { describeFailure } from './failure.js';
import { nobodyListens } from './nobody-listens.js';
import type { Runnable, Runner, Suite } from './mocha-package.js';
import type { StackMapper } from './stack-mapper.js';
import type { Failure, TestResult } from './types.js';

/** The scope of evaluating files and of global fixtures. */
export const LOAD_SCOPE = '(load)';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Attempt {
  readonly result: Mutable<TestResult>;
  readonly scope: Scope;
  readonly choicesBefore: number;
  readonly startedAt: number;
}

export class Results {
  readonly tests: TestResult[] = [];
  /** Calls of what cannot be simulated, in the whole trial. */
  readonly uncontrolled = new Map<string, UncontrolledCall>();
  /** Whether the error that is being reported comes from an unhandled rejection. */
  rejection = false;
  /** The same for an error that is reported later. */
  rejectionOf: { readonly reason: unknown } | undefined;

  /** Fingerprint of the order of the steps of each scope, by its title. */
  readonly shapes = new Map<string, number>();

  private scope!: Scope;
  private attempt: Attempt | undefined;
  /** A call in the scope of files or suites, for whose completion any test may wait. */
  private blockedBefore: UncontrolledCall | undefined;
  /** The hooks that have failed, by suite: tests of these suites do not run any more. */
  private readonly failedHooks = new Map<Suite, string>();
  private readonly byRunnable = new Map<Runnable, Mutable<TestResult>>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly plan: ScopePlan,
    private readonly stacks: StackMapper,
    private readonly faults: Faults,
  ) {}

  get current(): Scope {
    return this.scope;
  }

  /** Fingerprint of the order of all steps so far, scope by scope. */
  get shape(): number {
    return [...this.shapes.values()].reduce(mix, 0);
  }

  /** Begins a scope; what the last one has called stays known. */
  beginScope(title: string): void {
    this.endScope();
    const { scheduler } = this;
    const { rung, strategy, seed } = this.plan(title);
    this.scope = { title, rung, strategy, beganAt: scheduler.loop.now };
    scheduler.beginScope(this.scope);
    scheduler.faults = faultsOfRun(seed, this.faults);
    scheduler.loop.renewBudget();
    scheduler.loop.healed = false;
    scheduler.afterEvent = undefined;
  }

  /** What comes from now on, hooks after a test for instance, is apart from what was before. */
  renewScope(): void {
    this.scope = { ...this.scope };
    this.scheduler.beginScope(this.scope);
  }

  /** A runnable is about to run. Suite-level hooks begin a scope. */
  enter(runnable: Runnable): void {
    if (isSuiteHook(runnable)) this.beginScope(runnable.fullTitle());
  }

  listen(runner: Runner): void {
    runner
      .on('test', (test: Runnable) => this.testBegins(test))
      .on('pass', (test: Runnable) => (this.byRunnable.get(test)!.state = 'passed'))
      .on('pending', (test: Runnable) => this.pending(test))
      .on('fail', (runnable: Runnable, error: unknown) => this.failed(runnable, error));
  }

  /** The run has ended. `suite` is the root; what of it should have run and did not is skipped. */
  finish(runner: Runner | undefined, selected: (test: Runnable) => boolean): void {
    const unfinished = this.attempt?.result;
    this.endScope();
    if (runner !== undefined && runner.state !== 'stopped' && unfinished?.state === 'pending') {
      unfinished.state = 'skipped';
      unfinished.skipReason = 'it did not end';
    }
    const failed = this.tests.some((test) => test.failure !== undefined);
    if (runner !== undefined && failed) this.skipRest(runner.suite, selected);
  }

  describe(error: unknown, hook?: string): Failure {
    const rejection = this.rejection || this.rejectionOf?.reason === error;
    return describeFailure(error, this.stacks, { hook, rejection });
  }

  /** A test that is not run. */
  skip(title: string, reason: string): void {
    const result = this.newResult(title);
    result.state = 'skipped';
    result.skipReason = reason;
  }

  /** Why the failure of a runnable says nothing, if so. */
  skipReasonOf(runnable: Runnable): string | undefined {
    return this.resultOf(runnable).skipReason;
  }

  /** The call of something real for which the program may be waiting. */
  blockingCall(): UncontrolledCall | undefined {
    return this.blockedBefore ?? blockingCallOf(this.scheduler);
  }

  // ---- events ----------------------------------------------------------------------------------

  private testBegins(test: Runnable): void {
    const title = test.fullTitle();
    const retry = test.currentRetry();
    this.beginScope(retry === 0 ? title : `${title} (attempt ${retry + 1})`);
    const { loop } = this.scheduler;
    // Of a test that is retried the last attempt counts.
    if (retry > 0) this.tests.pop();
    const result = this.newResult(title, test.titlePath());
    this.byRunnable.set(test, result);
    this.attempt = {
      result,
      scope: this.scope,
      choicesBefore: loop.choices,
      startedAt: loop.now,
    };
  }

  private pending(test: Runnable): void {
    if (!this.byRunnable.has(test)) {
      this.byRunnable.set(test, this.newResult(test.fullTitle(), test.titlePath()));
    }
    this.byRunnable.get(test)!.state = 'pending';
  }

  private failed(runnable: Runnable, error: unknown): void {
    const isHook = runnable.type === 'hook';
    if (isHook) this.failedHooks.set(runnable.parent, `${runnable.title} failed`);
    const failure = this.explained(error, isHook ? runnable.title : undefined);
    const call = this.culprit(error);
    const result = this.resultOf(runnable);
    // The first failure is the one that counts: what follows may be its consequence.
    if (result.state === 'failed' || result.state === 'skipped') return;
    result.failure = failure;
    result.state = 'failed';
    if (call !== undefined) {
      result.state = 'skipped';
      result.skipReason = `needs real I/O: ${call.call} at ${call.site.position()}`;
    }
  }

  /** With a sentence more where a server is missing that plain Node may have. */
  private explained(error: unknown, hook: string | undefined): Failure {
    const failure = this.describe(error, hook);
    const missing = nobodyListens(this.scheduler, error);
    return missing === undefined
      ? failure
      : { ...failure, message: `${failure.message}\n${missing}` };
  }

  /** That of the test; hooks before and after each test belong to the test that runs. */
  private resultOf(runnable: Runnable): Mutable<TestResult> {
    const own = this.byRunnable.get(runnable);
    if (own !== undefined) return own;
    const isEachHook = runnable.type === 'hook' && !isSuiteHook(runnable);
    if (isEachHook && this.attempt !== undefined) return this.attempt.result;
    const result = this.newResult(runnable.fullTitle());
    this.byRunnable.set(runnable, result);
    return result;
  }

  private newResult(title: string, path?: readonly string[]): Mutable<TestResult> {
    const own = path === undefined ? {} : { path };
    const result: TestResult = {
      title,
      ...own,
      state: 'pending',
      choices: 0,
      virtualNs: 0,
      leaks: [],
    };
    this.tests.push(result);
    return result;
  }

  /** The call of something real that a failure may be due to. */
  private culprit(error: unknown): UncontrolledCall | undefined {
    const found = this.blockingCall();
    if (found !== undefined || !(error instanceof UncontrolledError)) return found;
    return [...this.scheduler.uncontrolled.values()].find((c) => c.call === error.call);
  }

  // ---- scopes ----------------------------------------------------------------------------------

  private endScope(): void {
    const { attempt, scheduler, scope } = this;
    if (scope !== undefined) this.shapes.set(scope.title, scheduler.loop.order.shape);
    scheduler.loop.order.clear();
    const call = blockingCallOf(scheduler);
    if (attempt === undefined) this.blockedBefore ??= call;
    for (const [key, value] of scheduler.uncontrolled) this.uncontrolled.set(key, value);
    scheduler.uncontrolled.clear();
    scheduler.blockedOnUncontrolled = false;
    if (attempt === undefined) return;
    this.attempt = undefined;
    closeHosts(scheduler, attempt.scope);
    attempt.result.choices = scheduler.loop.choices - attempt.choicesBefore;
    attempt.result.virtualNs = scheduler.loop.now - attempt.startedAt;
    const passed = attempt.result.state === 'passed';
    if (passed) attempt.result.leaks = leaksOf(scheduler, attempt.scope);
  }

  /** Tests that mocha has not come to: because of a hook, or since it ends at the first failure. */
  private skipRest(suite: Suite, selected: (test: Runnable) => boolean): void {
    suite.eachTest((test) => {
      if (this.byRunnable.has(test) || test.state !== undefined || !selected(test)) return;
      const result = this.newResult(test.fullTitle());
      result.state = 'skipped';
      result.skipReason = `not run: ${this.reasonFor(test.parent)}`;
    });
  }

  private reasonFor(suite: Suite): string {
    for (let s: Suite | undefined = suite; s !== undefined; s = s.parent) {
      const reason = this.failedHooks.get(s);
      if (reason !== undefined) return reason;
    }
    return 'mocha ended the run after a failure';
  }
}

function blockingCallOf(scheduler: Scheduler): UncontrolledCall | undefined {
  if (!scheduler.blockedOnUncontrolled) return undefined;
  return [...scheduler.uncontrolled.values()].find((call) => call.completesLater);
}

function isSuiteHook(runnable: Runnable): boolean {
  return runnable.type === 'hook' && /^"(?:before|after) all" hook/.test(runnable.title);
}
