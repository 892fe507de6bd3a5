/**
 * Where the calls of a test file go: every API builds its tree of suites with this.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { types } from 'node:util';
import { Suite, type HookName, type Mode, type TestCase } from './suite.js';

export type Fn = (...args: any[]) => unknown;

/** What a declaration may say of a test. */
export interface TestOptions {
  readonly timeout?: number;
  readonly retries?: number;
  readonly fails?: boolean;
}

export class Declarations {
  /** A suite is known to what its function starts, even if that goes on later. */
  private readonly storage = new AsyncLocalStorage<Suite>();
  private root: Suite | undefined;
  private pending: unknown[] = [];

  /** @param defaults timeouts in ms; 0 is none */
  constructor(readonly defaults: { testTimeout: number; hookTimeout: number }) {}

  /** A file is evaluated from now on. @returns what to wait for after that */
  begin(root: Suite): () => Promise<void> {
    this.root = root;
    this.pending = [];
    return async () => {
      for (const one of this.pending) await one;
    };
  }

  end(): void {
    this.root = undefined;
  }

  suite(title: string, mode: Mode, fn: Fn | undefined): unknown {
    const suite = new Suite(title, this.current, fn === undefined ? 'todo' : mode);
    this.current.children.push(suite);
    if (fn === undefined) return undefined;
    const result = this.storage.run(suite, fn);
    if (types.isPromise(result)) this.pending.push(result);
    return result;
  }

  test(title: string, mode: Mode, fn: Fn | undefined, options: TestOptions = {}): TestCase {
    const test: TestCase = {
      title,
      parent: this.current,
      mode: fn === undefined && mode !== 'skip' ? 'todo' : mode,
      fn: fn ?? (() => undefined),
      timeout: finite(options.timeout ?? this.defaults.testTimeout),
      retries: options.retries ?? 0,
      fails: options.fails ?? false,
    };
    this.current.children.push(test);
    return test;
  }

  hook(name: HookName, fn: Fn, timeout = this.defaults.hookTimeout): void {
    this.current.hooks[name].push({ fn, timeout: finite(timeout) });
  }

  private get current(): Suite {
    const suite = this.storage.getStore() ?? this.root;
    if (suite === undefined) throw new Error('A test was declared while no test file is loaded.');
    return suite;
  }
}

function finite(timeout: number): number {
  return Number.isFinite(timeout) ? timeout : 0;
}

/** A function with a `done` callback as one that returns a promise. */
export function withCallback(fn: Fn, args: readonly unknown[], self?: unknown): unknown {
  return new Promise<void>((resolve, reject) => {
    const done = (error?: unknown): void => {
      if (error === undefined || error === null) resolve();
      else reject(error as Error);
    };
    fn.call(self, ...args, done);
  });
}
