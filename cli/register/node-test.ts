/**
 * Replays a seed or a schedule in a file of `node:test` that is the main module: it is run in a
 * trial, and each of its tests is declared to Node's own runner with the outcome that it had.
 */

import Module from 'node:module';
import path from 'node:path';
import nodeTest from 'node:test';
import type { TestResult } from '../../runtime/mocha/types.js';
import { readTextIfAny } from '../overlay/disk.js';
import { asError, replayFile } from './replay-file.js';

/** Whether the main module is a file with tests for `node:test`. */
export function runsNodeTest(main: string | undefined): main is string {
  const text = main === undefined ? undefined : readTextIfAny(path.resolve(main));
  return text !== undefined && /['"]node:test['"]/.test(text);
}

/** Takes the place of the main module. */
export function replayMain(main: string, environment: NodeJS.ProcessEnv): void {
  (Module as unknown as { runMain(): void }).runMain = () => {
    // Node selects by itself among what is declared.
    const replay = { runner: 'node:test', file: path.resolve(main), grep: undefined } as const;
    replayFile(replay, environment).then(
      ({ tests }) => declareAll(tests.map((test) => ({ test, path: test.path ?? [test.title] }))),
      (error: unknown) => {
        console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
        process.exit(2);
      },
    );
  };
}

interface Placed {
  readonly test: TestResult;
  /** What is left of its titles. */
  readonly path: readonly string[];
}

/** Neighbours of one suite are declared in one. */
function declareAll(placed: readonly Placed[]): void {
  for (let from = 0, to = 0; from < placed.length; from = to) {
    const { test, path } = placed[from];
    const [name, ...rest] = path;
    to = from + 1;
    if (rest.length === 0) {
      declare(name, test);
      continue;
    }
    while (to < placed.length && placed[to].path.length > 1 && placed[to].path[0] === name) to++;
    const inside = placed.slice(from, to).map((one) => ({ ...one, path: one.path.slice(1) }));
    void nodeTest.describe(name, () => declareAll(inside));
  }
}

function declare(name: string, { state, failure, skipReason }: TestResult): void {
  void nodeTest.test(name, (context) => {
    if (failure !== undefined && state === 'failed') throw asError(failure);
    if (state !== 'passed') context.skip(skipReason);
  });
}
