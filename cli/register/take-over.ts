/**
 * Replaces what a running mocha does with its spec files by replaying a seed or a schedule.
 */

import fs from 'node:fs';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { scheduleAsked, seedAsked } from '../../runtime/explore/asked.js';
import { planOf } from '../../runtime/explore/origin.js';
import type { ScopePlan } from '../../runtime/explore/plan.js';
import type { Profile } from '../../runtime/explore/profile.js';
import { loadMocha, runningMocha, type MochaInstance } from '../../runtime/mocha/mocha-package.js';
import { profileOf, projectRunner } from './project-runner.js';
import { replayingRunner } from './replayed-run.js';
import type { Failure, Journal } from '../../runtime/mocha/types.js';

/** Exit status for what the user has to solve. */
const USAGE = 2;

/** The plan of a replay, from the profile of the empty schedule. */
type PlanOf = (profile: Profile) => ScopePlan;

/**
 * Takes over the mocha of the project in the working directory. What is wrong with the variables
 * ends the process with one paragraph.
 */
export function takeOver(environment: NodeJS.ProcessEnv): void {
  try {
    const planOf = planFor(environment);
    const Mocha = runningMocha() ?? loadMocha(findRoot(process.cwd())).Mocha;
    const { prototype } = Mocha;
    const { run } = prototype;
    // Specs are loaded by the trial runner; mocha itself may not even be able to read them.
    prototype.loadFiles = function (done) {
      done?.();
    };
    prototype.loadFilesAsync = function (this: MochaInstance) {
      return Promise.resolve(void this.lazyLoadFiles(true));
    };
    prototype.run = function (this: MochaInstance, done) {
      refuse(this);
      const filterStack = this.options.fullTrace
        ? (stack: string) => stack
        : Mocha.utils.stackTraceFilter();
      this._runnerClass = replayingRunner(Mocha, () => runTrials(this, environment, planOf), {
        filterStack,
        failed: fail,
      });
      // Fixtures belong to the trial.
      this.enableGlobalSetup(false).enableGlobalTeardown(false);
      return run.call(this, done);
    };
  } catch (error) {
    fail(error);
  }
}

/** @throws an error for the user when a variable cannot be read */
export function planFor({ DETSIM_SEED, DETSIM_REPLAY }: NodeJS.ProcessEnv): PlanOf {
  if (DETSIM_SEED && DETSIM_REPLAY) {
    throw new Error(
      'DETSIM_SEED and DETSIM_REPLAY are both set, and each says what to replay. ' +
        'Unset one of them.',
    );
  }
  const of = DETSIM_REPLAY ? scheduleAsked(DETSIM_REPLAY) : seedAsked('DETSIM_SEED', DETSIM_SEED!);
  return (profile) => planOf(of, profile);
}

/** Ways to run mocha that a replay does not know. */
function refuse({ options }: MochaInstance): void {
  for (const name of ['parallel', 'watch']) {
    if (!options[name]) continue;
    fail(
      new Error(
        `A seed or schedule cannot be replayed with mocha's --${name}: everything must run in ` +
          `one process, once. Run mocha again without --${name} (with --no-${name} when a config ` +
          'file sets it).',
      ),
    );
  }
}

async function runTrials(
  { files, options }: MochaInstance,
  environment: NodeJS.ProcessEnv,
  planOf: PlanOf,
): Promise<Journal[]> {
  const first = [options.file ?? []].flat().map((file) => fs.realpathSync(String(file)));
  // A file that is named and that the `spec` of mocha's config matches too is listed twice.
  const listed = new Set(files.map((file) => fs.realpathSync(file)));
  const specs = [...listed].filter((file) => !first.includes(file));
  // The warm-up runs the whole file, as in a sweep.
  const { grep, invert, fgrep: _, ...others } = options;
  const mocha = { ...others, file: first };
  const runner = projectRunner(environment, [...listed], { mocha });
  const select = grep ? { grep: { pattern: grep as RegExp, invert: Boolean(invert) } } : {};
  const journals: Journal[] = [];
  for (const file of specs) {
    const plan = planOf(await profileOf(runner, file));
    const trial = { file, plan, ...select, console: 'swallow', journal: true } as const;
    const { loadError, journal } = await runner.runAsync(trial);
    if (loadError !== undefined) throw new SpecError(loadError);
    journals.push(journal!);
  }
  return journals;
}

/** A spec file that cannot be evaluated, as mocha itself would print it. */
class SpecError extends Error {
  constructor({ stack, message, error }: Failure) {
    super(`\n Exception during run: ${stack === '' ? message : stack}`, { cause: error });
  }
}

/** Ends the process with the message of an error. */
function fail(error: unknown): never {
  const fromSpec = error instanceof SpecError;
  const shown = fromSpec && error.cause instanceof UserError ? error.cause : error;
  console.error(shown instanceof Error ? shown.message : String(shown));
  process.exit(shown instanceof SpecError ? 1 : USAGE);
}
