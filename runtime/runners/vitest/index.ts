/**
 * The API of vitest for trials.
 *
 * `expect`, `vi` and whatever else does not belong to vitest's own worker are those of the
 * project's vitest; declaring and running tests is done here. Mocking of modules needs vite's
 * pipeline, and is refused.
 */

import { standInFor } from '../../loader/own-copy.js';
import type { Adapter, TestContext } from '../adapter.js';
import type { AdapterOptions } from '../adapters.js';
import { Declarations, type Fn } from '../declarations.js';
import { fullTitle, titlesOf, type Hook, type HookName } from '../suite.js';
import { loadVitest } from './package.js';
import { testApi } from './test-api.js';

interface Expect {
  setState(state: Record<string, unknown>): void;
  getState(): { assertionCalls: number; expectedAssertionsNumber?: number | null } & {
    isExpectingAssertions?: boolean;
  };
}

interface Vi {
  restoreAllMocks(): void;
  useRealTimers(): void;
}

type Vitest = Record<string, unknown> & { expect: Expect; vi: Vi };

/** Modules cannot be mocked: say so where it is asked. */
const UNSUPPORTED = ['mock', 'doMock', 'unmock', 'doUnmock', 'importActual', 'importMock'];

/** Thrown by `context.skip()`. */
class Skipped extends Error {}

/** Makes the adapter, and lets test files have its API for `vitest`. */
export function vitestAdapter(options: AdapterOptions): Adapter {
  giveWorkerState();
  const vitest = { ...loadVitest(options.root) } as Vitest;
  const { expect } = vitest;
  // What it makes on first use draws a random number, which is no trial's.
  vitest.vi.useRealTimers();
  const declared = new Declarations(options);
  let running: TestContext | undefined;
  const { test, describe } = testApi(declared);
  const hook =
    (name: HookName) =>
    (fn: Fn, timeout?: number): void => {
      declared.hook(name, name === 'beforeEach' ? withCleanUp(fn) : fn, timeout);
    };
  /** A hook may return what is to be done after the test. */
  const withCleanUp = (fn: Fn): Fn =>
    async function (context: unknown) {
      const after = await fn(context);
      if (typeof after !== 'function') return;
      running?.cleanUps.push({ fn: after as Hook['fn'], timeout: options.hookTimeout });
    };
  const onTestFinished = (fn: Fn): void => {
    running?.cleanUps.unshift({ fn, timeout: options.hookTimeout });
  };
  const vi = refusing(vitest.vi);
  const api = {
    ...vitest,
    ...{ test, it: test, describe, suite: describe, vi, vitest: vi },
    ...{ beforeAll: hook('beforeAll'), afterAll: hook('afterAll') },
    ...{ beforeEach: hook('beforeEach'), afterEach: hook('afterEach') },
    ...{ onTestFinished, onTestFailed: () => undefined },
  };
  standInFor('vitest', api);
  return {
    globals: options.globals ? globalsOf(api) : {},
    setupFiles: options.setupFiles,
    grep: options.grep,
    begin: (root) => declared.begin(root),
    end() {
      declared.end();
      vitest.vi.restoreAllMocks();
      vitest.vi.useRealTimers();
    },
    contextOf(one, file) {
      const currentTestName = fullTitle(titlesOf(one));
      expect.setState({ ...FRESH, testPath: file, currentTestName });
      const value: Record<string, unknown> = {
        ...{ expect, onTestFinished, onTestFailed: () => undefined },
        ...{ task: { name: one.title, type: 'test' }, signal: new AbortController().signal },
        skip(first?: unknown) {
          if (first === false) return;
          running!.skipped = new Skipped();
          throw running!.skipped as Error;
        },
      };
      running = { value, cleanUps: [], skipped: undefined };
      return running;
    },
    call: (fn, { value }) => fn(value),
    verify: () => unmet(expect.getState()),
  };
}

/**
 * `vi` asks the state of vitest's worker what to fake, and in vitest 3 as soon as it is loaded;
 * outside a worker this is all it needs.
 */
function giveWorkerState(): void {
  const globals = globalThis as { __vitest_worker__?: object };
  globals.__vitest_worker__ ??= { config: { fakeTimers: {} }, environment: { name: 'node' } };
}

const FRESH = {
  assertionCalls: 0,
  isExpectingAssertions: false,
  isExpectingAssertionsError: null,
  expectedAssertionsNumber: null,
  expectedAssertionsNumberErrorGen: null,
};

/** `expect.assertions` and `expect.hasAssertions`. */
function unmet(state: ReturnType<Expect['getState']>): { reason: unknown } | undefined {
  const { assertionCalls: made, expectedAssertionsNumber: wanted, isExpectingAssertions } = state;
  if (typeof wanted === 'number' && wanted !== made) {
    return { reason: new Error(`expected number of assertions to be ${wanted}, but got ${made}`) };
  }
  if (isExpectingAssertions !== true || made > 0) return undefined;
  return { reason: new Error('expected any number of assertion, but got none') };
}

function globalsOf(api: Record<string, unknown>): Record<string, unknown> {
  const names = ['test', 'it', 'describe', 'suite', 'expect', 'assert', 'chai', 'vi', 'vitest']
    .concat(['beforeAll', 'afterAll', 'beforeEach', 'afterEach'])
    .concat(['onTestFinished', 'onTestFailed', 'expectTypeOf', 'assertType']);
  return Object.fromEntries(names.map((name) => [name, api[name]]));
}

function refusing(vi: Vi): Vi {
  const refused = UNSUPPORTED.map((name) => {
    const refuse = (): never => {
      throw new Error(
        `vi.${name} is not available under detsim: modules are loaded without vite. Hand the ` +
          'stand-in to the code under test, or keep this file out of the sweep with "tests" of ' +
          'the config.',
      );
    };
    return [name, refuse] as const;
  });
  return Object.assign(Object.create(vi) as Vi, Object.fromEntries(refused));
}
