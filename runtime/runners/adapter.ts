/**
 * What the API of a test runner is to a trial: the names that a test file sees, and what is special
 * about calling its tests.
 */

import type { Hook, Suite, TestCase } from './suite.js';

/** What a running test is given, and what it has asked for. */
export interface TestContext {
  /** The argument of the test. */
  readonly value: unknown;
  /** What is to be done after the test, in order. */
  readonly cleanUps: Hook[];
  /** Thrown to skip the rest of the test. */
  skipped: unknown;
}

export interface Adapter {
  /** Names that are there without an import, with their values. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Files to evaluate before each test file, absolute. */
  readonly setupFiles: readonly string[];
  /** Which tests to run, by their full titles; all when it is undefined. */
  readonly grep: RegExp | undefined;
  /**
   * A file is about to declare tests into `root`.
   * @returns what to wait for once it is evaluated
   */
  begin(root: Suite): () => Promise<void>;
  /** The tests of a file have run. */
  end(): void;
  contextOf(test: TestCase, file: string): TestContext;
  /** Calls the function of a test. */
  call(fn: TestCase['fn'], context: TestContext): unknown;
  /** What else must hold once a test has passed. */
  verify(context: TestContext): { reason: unknown } | undefined;
}
