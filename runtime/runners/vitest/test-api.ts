/** `test` and `describe` of vitest, with all that can be chained to them. */

import { eachOf } from '../each.js';
import type { Declarations, Fn, TestOptions } from '../declarations.js';
import type { Mode } from '../suite.js';

interface Options extends TestOptions {
  readonly retry?: number;
  readonly skip?: boolean;
  readonly only?: boolean;
  readonly todo?: boolean;
}

/** What a chain has set so far. */
interface Chained {
  readonly mode?: Mode;
  readonly fails?: boolean;
  /** Fixtures of `test.extend`. */
  readonly fixtures?: Readonly<Record<string, unknown>>;
}

type Declare = (title: unknown, fn: Fn | undefined, options: Options, chained: Chained) => void;

/** Words of a chain that change nothing here: tests run one after the other, in their order. */
const NEUTRAL = ['concurrent', 'sequential', 'shuffle'];

export function testApi(declared: Declarations): { test: unknown; describe: unknown } {
  const test: Declare = (title, fn, options, { mode, fails, fixtures }) => {
    const body = fn && (fixtures === undefined ? fn : withFixtures(fn, fixtures));
    declared.test(titled(title), mode ?? modeOf(options), body, {
      ...options,
      retries: options.retry,
      fails: fails ?? options.fails,
    });
  };
  const describe: Declare = (title, fn, options, { mode }) => {
    declared.suite(titled(title), mode ?? modeOf(options), fn);
  };
  return { test: chain(test, {}), describe: chain(describe, {}) };
}

function chain(declare: Declare, chained: Chained): unknown {
  const call = (title: unknown, ...rest: unknown[]): void => {
    const { fn, options } = readRest(rest);
    declare(title, fn, options, chained);
  };
  const with_ = (more: Chained): unknown => chain(declare, { ...chained, ...more });
  const each = (spread: boolean) =>
    eachOf((title, fn, rest) => call(title, ...rest, fn), { spread });
  const members: Record<string, () => unknown> = {
    only: () => with_({ mode: 'only' }),
    skip: () => with_({ mode: 'skip' }),
    todo: () => with_({ mode: 'todo' }),
    fails: () => with_({ fails: true }),
    each: () => each(true),
    for: () => each(false),
    skipIf: () => (condition: unknown) => (condition ? with_({ mode: 'skip' }) : with_({})),
    runIf: () => (condition: unknown) => (condition ? with_({}) : with_({ mode: 'skip' })),
    extend: () => (fixtures: Record<string, unknown>) =>
      with_({ fixtures: { ...chained.fixtures, ...fixtures } }),
  };
  for (const word of NEUTRAL) members[word] = () => with_({});
  for (const [name, get] of Object.entries(members)) {
    Object.defineProperty(call, name, { get, enumerable: true });
  }
  return call;
}

/** `(title, fn, timeout)`, `(title, options, fn)` and `(title, fn, options)`. */
function readRest(rest: readonly unknown[]): { fn: Fn | undefined; options: Options } {
  const fn = rest.find((one) => typeof one === 'function') as Fn | undefined;
  const given = rest.find((one) => typeof one === 'number' || typeof one === 'object');
  const options = typeof given === 'number' ? { timeout: given } : (given ?? {});
  return { fn, options };
}

function titled(title: unknown): string {
  return typeof title === 'function' ? title.name || '<anonymous>' : String(title);
}

function modeOf({ skip, only, todo }: Options): Mode {
  return skip ? 'skip' : only ? 'only' : todo ? 'todo' : 'run';
}

/** Each fixture is a value, or a function that hands its value to `use` and cleans up after that. */
function withFixtures(fn: Fn, fixtures: Readonly<Record<string, unknown>>): Fn {
  return async (context: Record<string, unknown>) => {
    const entries = Object.entries(fixtures);
    const setUp = async (index: number): Promise<void> => {
      if (index === entries.length) return void (await fn(context));
      const [name, given] = entries[index]!;
      const fixture: unknown = Array.isArray(given) ? given[0] : given;
      if (typeof fixture !== 'function') {
        context[name] = fixture;
        return setUp(index + 1);
      }
      await (fixture as Fn)(context, (value: unknown) => {
        context[name] = value;
        return setUp(index + 1);
      });
    };
    await setUp(0);
  };
}
