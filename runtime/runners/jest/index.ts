/**
 * The API of jest for trials.
 *
 * `expect`, mocks and fake timers are those of the project's jest; declaring and running tests is
 * done here, as jest-circus does. Mocking of modules needs jest's own module registry, and is
 * refused.
 */

import { standInFor } from '../../loader/own-copy.js';
import type { Adapter } from '../adapter.js';
import type { AdapterOptions } from '../adapters.js';
import { Declarations, withCallback, type Fn } from '../declarations.js';
import { eachOf } from '../each.js';
import { fullTitle, titlesOf, type HookName, type Mode } from '../suite.js';
import { jestParts } from './parts.js';

type Title = string | number | { name: string };
type Test = (title: Title, fn?: Fn, timeout?: number) => void;

/** Makes the adapter, and lets test files have its API as globals and for `@jest/globals`. */
export function jestAdapter(options: AdapterOptions): Adapter {
  const { expect, jest } = jestParts(options.root, (ms) => (testTimeout = ms));
  const declared = new Declarations(options);
  let testTimeout: number | undefined;
  const test =
    (mode: Mode, fails = false): Test =>
    (title, fn, timeout = testTimeout) =>
      void declared.test(titled(title), mode, fn && called(fn), { timeout, fails });
  const suite =
    (mode: Mode): Test =>
    (title, fn) =>
      void declared.suite(titled(title), mode, fn);
  const tests = (mode: Mode, fails = false) => withEach(test(mode, fails));
  const it = Object.assign(tests('run'), {
    only: Object.assign(tests('only'), { failing: tests('only', true) }),
    skip: Object.assign(tests('skip'), { failing: tests('skip', true) }),
    failing: tests('run', true),
    concurrent: Object.assign(tests('run'), { only: tests('only'), skip: tests('skip') }),
    todo: (title: Title) => void declared.test(titled(title), 'todo', undefined),
  });
  const describe = Object.assign(withEach(suite('run')), {
    only: withEach(suite('only')),
    skip: withEach(suite('skip')),
  });
  const hook =
    (name: HookName) =>
    (fn: Fn, timeout = testTimeout): void =>
      declared.hook(name, called(fn), timeout);
  const api = {
    ...{ it, test: it, fit: it.only, xit: it.skip, xtest: it.skip },
    ...{ describe, fdescribe: describe.only, xdescribe: describe.skip },
    ...{ beforeAll: hook('beforeAll'), afterAll: hook('afterAll') },
    ...{ beforeEach: hook('beforeEach'), afterEach: hook('afterEach') },
    ...{ expect, jest },
  };
  standInFor('@jest/globals', api);
  return {
    globals: options.globals ? api : {},
    setupFiles: options.setupFiles,
    grep: options.grep,
    begin(root) {
      testTimeout = undefined;
      return declared.begin(root);
    },
    end() {
      declared.end();
      jest.restoreAllMocks();
      jest.useRealTimers();
    },
    contextOf(one, file) {
      expect.setState({ ...FRESH, currentTestName: fullTitle(titlesOf(one)), testPath: file });
      return { value: undefined, cleanUps: [], skipped: undefined };
    },
    call: (fn) => fn(undefined),
    verify() {
      const [unmet] = expect.extractExpectedAssertionsErrors();
      return unmet === undefined ? undefined : { reason: unmet.error };
    },
  };
}

const FRESH = {
  assertionCalls: 0,
  expectedAssertionsNumber: null,
  isExpectingAssertions: false,
  suppressedErrors: [],
};

/** A function with a parameter is given a callback. */
function called(fn: Fn): Fn {
  return fn.length > 0 ? () => withCallback(fn, []) : () => fn();
}

function titled(title: Title): string {
  return typeof title === 'object' || typeof title === 'function' ? title.name : String(title);
}

function withEach(declare: Test) {
  const each = eachOf(
    // The cases are the arguments: none of them is a callback.
    (title, fn, [timeout]) => declare(title, () => fn(), timeout as number | undefined),
    { spread: true },
  );
  return Object.assign(((title, fn, timeout) => declare(title, fn, timeout)) as Test, { each });
}
