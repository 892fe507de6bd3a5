/** The `TestContext` of `node:test`: what a test function gets. */

import assert from 'node:assert';
import nodeTest from 'node:test';
import { withCallback, type Fn } from '../declarations.js';
import { fullTitle, titlesOf, type Hook, type HookName, type TestCase } from '../suite.js';
import { readArguments } from './index.js';

type Hooks = Record<HookName, Fn[]>;

/** Marks a test that has skipped itself. */
const SKIPPED = Symbol('skipped');

export class NodeContext {
  readonly name: string;
  readonly fullName: string;
  readonly assert: Record<string, unknown>;
  /** The real tracker of mocks, one for each test. */
  readonly mock = new (nodeTest.mock.constructor as new () => typeof nodeTest.mock)();
  readonly signal: unknown = new AbortController().signal;
  /** @internal */
  readonly cleanUps: Hook[] = [];
  /** @internal */
  skipped: unknown = undefined;
  private readonly hooks: Hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };
  private counted = 0;
  private planned: number | undefined;
  /** Subtests run one after the other, in the order of their declaration. */
  private last: Promise<void> = Promise.resolve();
  private started = false;

  constructor(
    test: Pick<TestCase, 'title' | 'parent'>,
    readonly filePath: string,
    planned?: number,
  ) {
    this.name = test.title;
    this.fullName = fullTitle(titlesOf(test as TestCase));
    this.planned = planned;
    this.assert = countedAssert(() => this.counted++);
    this.cleanUps.push({ fn: () => this.finish(), timeout: 0 });
  }

  diagnostic(): void {}

  runOnly(): void {}

  skip(): void {
    this.skipped = SKIPPED;
  }

  todo(): void {
    this.skipped = SKIPPED;
  }

  plan(count: number): void {
    this.planned = count;
  }

  before(fn: Fn): void {
    this.hooks.beforeAll.push(fn);
  }

  after(fn: Fn): void {
    this.hooks.afterAll.push(fn);
  }

  beforeEach(fn: Fn): void {
    this.hooks.beforeEach.push(fn);
  }

  afterEach(fn: Fn): void {
    this.hooks.afterEach.push(fn);
  }

  /** A subtest. What makes it fail makes the test fail. */
  test(...args: Parameters<typeof readArguments>[0]): Promise<void> {
    const { name, options, fn } = readArguments(args);
    this.counted++;
    if (fn === undefined || options.skip || options.todo) return Promise.resolve();
    const run = this.last.then(() => this.subtest(name, fn));
    this.last = run;
    // Nobody has to await a subtest: its failure is that of the test.
    run.catch(() => undefined);
    return run;
  }

  /** @internal Calls the function of the test, and waits for its subtests. */
  async run(fn: Fn): Promise<void> {
    await (fn.length > 1 ? withCallback(fn, [this]) : fn.call(undefined, this));
    await this.last;
  }

  /** @internal Whether as many assertions were made as were planned. */
  verify(): { reason: unknown } | undefined {
    const { planned, counted } = this;
    if (planned === undefined || planned === counted) return undefined;
    return { reason: new Error(`plan expected ${planned} assertions but received ${counted}`) };
  }

  private async subtest(name: string, fn: Fn): Promise<void> {
    if (!this.started) {
      this.started = true;
      for (const hook of this.hooks.beforeAll) await hook(this);
    }
    const parent = { path: [this.fullName] } as unknown as TestCase['parent'];
    const context = new NodeContext({ title: name, parent }, this.filePath);
    for (const hook of this.hooks.beforeEach) await hook(context);
    try {
      await context.run(fn);
    } finally {
      for (const hook of this.hooks.afterEach) await hook(context);
      await context.finish();
    }
    const failed = context.verify();
    if (failed !== undefined) throw failed.reason;
  }

  private async finish(): Promise<void> {
    for (const hook of this.hooks.afterAll) await hook(this);
    this.mock.restoreAll();
    (this.mock as { timers?: { reset(): void } }).timers?.reset();
  }
}

/** The functions of `node:assert`, counted for the plan. */
function countedAssert(count: () => void): Record<string, unknown> {
  const counted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(assert)) {
    if (typeof value !== 'function' || /^[A-Z]/.test(name) || name === 'strict') continue;
    counted[name] = (...args: unknown[]): unknown => {
      count();
      return (value as Fn)(...args);
    };
  }
  return counted;
}
