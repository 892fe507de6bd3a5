/**
 * A mocha `Runner` that runs nothing: it says to the reporter what the runners of trials have said.
 *
 * It is the runner class of the mocha that the user has started, so reporters, statistics and the
 * exit code are mocha's own.
 */

import type { MochaClass, Runner, Suite } from '../../runtime/mocha/mocha-package.js';
import type { Journal } from '../../runtime/mocha/types.js';

/** Runs the trials; gives a journal for each spec file, in order. */
export type RunTrials = () => Promise<readonly Journal[]>;

interface Options {
  /** Errors come to the reporter as mocha would give them: without its own frames. */
  readonly filterStack: (stack: string) => string;
  /** A spec file did not load, or the like: mocha prints the error and exits. */
  readonly failed: (error: unknown) => void;
}

/** A subclass of mocha's runner that replays trials. */
export function replayingRunner(mocha: MochaClass, trials: RunTrials, options: Options): unknown {
  const Base = mocha.Runner as new (suite: Suite, options: object) => Runner;
  return class ReplayingRunner extends Base {
    override run(done: (failures: number) => void): this {
      trials().then((journals) => {
        this.replay(journals);
        done(this.failures);
      }, options.failed);
      return this;
    }

    private replay(journals: readonly Journal[]): void {
      adopt(this.suite, journals);
      this.total = count(journals);
      this.emit('start');
      this.emit('suite', this.suite);
      for (const { events, root } of journals) {
        for (const { name, args } of events) this.repeat(name, args, root);
      }
      this.emit('suite end', this.suite);
      this.state = 'stopped';
      this.emit('end');
    }

    private repeat(name: string, args: readonly unknown[], root: unknown): void {
      if (name === 'output') return write(args);
      // The root suites of the files are one here.
      if (args[0] === root) return;
      if (name === 'fail') {
        this.failures++;
        filterStacks(args[1], options.filterStack);
      }
      this.emit(name, ...args);
    }
  };
}

/** Puts the suites of all files below one root, where reporters look for them. */
function adopt(root: Suite, journals: readonly Journal[]): void {
  for (const journal of journals) {
    const { suites, tests } = journal.root as Suite;
    for (const suite of suites) suite.parent = root;
    for (const test of tests) test.parent = root;
    root.suites.push(...suites);
    root.tests.push(...tests);
  }
}

function count(journals: readonly Journal[]): number {
  const tests = new Set<unknown>();
  for (const { events } of journals) {
    for (const { name, args } of events) if (name === 'test end') tests.add(args[0]);
  }
  return tests.size;
}

function write([stream, text]: readonly unknown[]): void {
  process[stream as 'stdout' | 'stderr'].write(text as string);
}

function filterStacks(error: unknown, filter: (stack: string) => string): void {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    try {
      if (at.stack !== undefined) at.stack = filter(at.stack);
    } catch {
      // Frozen: it keeps the stack it has.
    }
  }
}
