/**
 * The API of `node:test` for trials: the same declarations, contexts, hooks and mocks.
 *
 * Node's own runner belongs to its process and starts by itself. Its mocks and assertions are
 * independent of it, and are the real ones here. A subtest runs where it is declared, as a part of
 * its test, with the choices of that.
 */

import nodeTest from 'node:test';
import type { Adapter } from '../adapter.js';
import { Declarations, withCallback, type Fn } from '../declarations.js';
import type { Mode, TestCase } from '../suite.js';
import { standInFor } from '../../loader/own-copy.js';
import type { AdapterOptions } from '../adapters.js';
import { NodeContext } from './context.js';

/** What `node:test` takes in the place of options, as far as it matters here. */
export interface NodeTestOptions {
  readonly skip?: boolean | string;
  readonly todo?: boolean | string;
  readonly timeout?: number;
  readonly plan?: number;
}

type Args = readonly (string | NodeTestOptions | Fn | undefined)[];

/** `(name?, options?, fn?)` in all its forms. */
export function readArguments(args: Args): { name: string; options: NodeTestOptions; fn?: Fn } {
  const name = args.find((one) => typeof one === 'string');
  const fn = args.find((one) => typeof one === 'function');
  const options = args.find((one) => typeof one === 'object') ?? {};
  return { name: name ?? (fn?.name || '<anonymous>'), options, ...(fn && { fn }) };
}

function modeOf({ skip, todo }: NodeTestOptions): Mode {
  return skip ? 'skip' : todo ? 'todo' : 'run';
}

/** Makes the adapter, and lets test files have its API for `node:test`. */
export function nodeTestAdapter(options: AdapterOptions): Adapter {
  const declared = new Declarations({ testTimeout: 0, hookTimeout: 0 });
  const plans = new WeakMap<TestCase, number>();
  /** The test that runs now: what is declared meanwhile is its subtest. */
  let running: NodeContext | undefined;

  const test = (...args: Args): Promise<void> => {
    if (running !== undefined) return running.test(...args);
    const { name, options: given, fn } = readArguments(args);
    const made = declared.test(name, modeOf(given), fn, given);
    if (given.plan !== undefined) plans.set(made, given.plan);
    return Promise.resolve();
  };
  const suite = (...args: Args): Promise<void> => {
    const { name, options: given, fn } = readArguments(args);
    declared.suite(name, modeOf(given), fn);
    return Promise.resolve();
  };
  const hook =
    (name: 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll') =>
    (fn: Fn, { timeout }: { timeout?: number } = {}): void => {
      const called = fn.length > 1 ? (context: unknown) => withCallback(fn, [context]) : fn;
      declared.hook(name, called, timeout);
    };
  // Without Node's own --test-only, `only` means nothing.
  const modes = (declare: (...args: Args) => Promise<void>) =>
    Object.assign((...args: Args) => declare(...args), {
      only: (...args: Args) => declare(...args),
      skip: (...args: Args) => declareWith(declare, args, 'skip'),
      todo: (...args: Args) => declareWith(declare, args, 'todo'),
    });
  const [tests, suites] = [modes(test), modes(suite)];
  const api = Object.assign(tests, {
    ...{ test: tests, it: tests, describe: suites, suite: suites },
    ...{ before: hook('beforeAll'), after: hook('afterAll') },
    ...{ beforeEach: hook('beforeEach'), afterEach: hook('afterEach') },
    ...{ mock: nodeTest.mock, run: nodeTest.run, default: tests },
    ...pick(nodeTest as unknown as Record<string, unknown>, ['snapshot', 'assert']),
  });
  standInFor('node:test', api);
  return {
    globals: {},
    setupFiles: options.setupFiles,
    grep: options.grep,
    begin: (root) => declared.begin(root),
    end() {
      declared.end();
      nodeTest.mock.restoreAll();
    },
    contextOf(one, file) {
      const value = new NodeContext(one, file, plans.get(one));
      return {
        value,
        cleanUps: value.cleanUps,
        get skipped() {
          return value.skipped;
        },
      };
    },
    async call(fn, { value }) {
      const context = (running = value as NodeContext);
      try {
        await context.run(fn as Fn);
      } finally {
        running = undefined;
      }
    },
    verify: ({ value }) => (value as NodeContext).verify(),
  };
}

/** The same declaration with another mode. */
function declareWith(
  declare: (...args: Args) => Promise<void>,
  args: Args,
  mode: 'skip' | 'todo',
): Promise<void> {
  const { name, options, fn } = readArguments(args);
  return declare(name, { ...options, [mode]: true }, fn);
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}
