/**
 * `simulate`: one test body, run under many seeds in any test runner.
 *
 * What a sweep does with a test file is done with one function, in this process: the empty schedule
 * first, then the seeds of the portfolio until one fails, which is minimized. Every trial is one
 * synchronous call from a real macrotask of its own.
 */

import process from 'node:process';
import { checkCount, checkFunction, checkNames } from '../kernel/arguments.js';
import { ANY, NODE, RUNGS, STUBS, type Rung, type RungName } from '../kernel/rung.js';
import { scheduleAsked, seedAsked } from '../explore/asked.js';
import { investigate, type Investigation } from '../explore/investigate.js';
import { planOf, type Origin } from '../explore/origin.js';
import { emptyPlan, MAX_SEED, type ScopePlan } from '../explore/plan.js';
import { profileRecorder, type Profile } from '../explore/profile.js';
import { signatureOf } from '../explore/signature.js';
import { SEEDED, type SeededName } from '../explore/strategies/index.js';
import { Portfolio } from '../explore/strategies/portfolio.js';
import { FaultSettingsError, resolveFaults, type FaultSettings } from '../node/fault-settings.js';
import type { Faults } from '../node/faults.js';
import { pristine } from '../node/pristine.js';
import { active, type Scheduler } from '../tasks/scheduler.js';
import { FindingError } from './finding-error.js';
import { onlyOperations } from './operations.js';
import { replayLine, VARIABLE } from './replay-line.js';
import { runBody, TITLE, type Body, type BodyRun } from './trial.js';
import { Schedule } from './schedules.js';

export interface SimulateOptions {
  /** How often the body is run at most. Default 500. */
  readonly trials?: number;
  /** The base seed: the same one tries the same schedules. Default 0. */
  readonly seed?: number;
  /** The highest rung that is explored. Default `any`. */
  readonly order?: RungName;
  /**
   * The highest rung whose findings are thrown. Default `stubs`. The order in which detsim's own
   * primitives (channels, locks) serve their tasks is thrown on every rung.
   */
  readonly failOn?: RungName;
  /** What proposes deviations. Default `portfolio`. */
  readonly strategy?: SeededName | 'portfolio';
  /** No new trial begins after so many milliseconds of wall clock. Default: no limit. */
  readonly timeBudget?: number;
  /** Which faults of the simulated world can strike, and how often. Default: none. */
  readonly faults?: FaultSettings;
  /** One schedule to run instead of exploring; see `schedules` of `detsim/fast-check`. */
  readonly schedule?: Schedule;
}

/** What a call that threw nothing has seen. */
export interface SimulateReport {
  readonly trials: number;
  /** How many distinct orders of events there were. */
  readonly shapes: number;
  /** Failures on a higher rung than `failOn`. */
  readonly hazards: readonly FindingError[];
}

const NAMES = ['trials', 'seed', 'order', 'failOn', 'strategy', 'timeBudget', 'faults', 'schedule'];

/** Of failures that are not thrown, so many are looked at closely. */
const HAZARDS_MAX = 5;

/**
 * Runs a body under many schedules, and throws when one makes it fail.
 *
 * The body gets a {@link Sim} of its own, which runs already. Whatever it changes has to be made
 * inside it: in every trial it starts from the same state. With `DETSIM_SIMULATE` set to a seed or
 * a schedule, only that is run.
 * @throws {FindingError} with what the body threw as its cause, the least schedule under which it
 *   does, and the line that runs it again
 * @throws {TypeError | RangeError} when an option is not what it must be
 */
export async function simulate(body: Body): Promise<SimulateReport>;
export async function simulate(options: SimulateOptions, body: Body): Promise<SimulateReport>;
export async function simulate(
  first: SimulateOptions | Body,
  second?: Body,
): Promise<SimulateReport> {
  const [options, body] = typeof first === 'function' ? [{}, first] : [first, second!];
  check(options, body);
  const nested = active.scheduler !== undefined;
  const asked = nested ? undefined : process.env[VARIABLE];
  const exploration = new Exploration(options, body);
  if (asked) return exploration.replay(originAsked(asked));
  if (options.schedule !== undefined) return exploration.follow(options.schedule);
  return exploration.explore();
}

function originAsked(text: string): Origin {
  return /^\d*$/.test(text) ? seedAsked(VARIABLE, text) : scheduleAsked(text);
}

function check(options: SimulateOptions, body: unknown): void {
  checkNames('simulate', options, NAMES);
  checkFunction('simulate', 'the body', body);
  const { trials = 1, seed = 0, order, failOn, strategy, timeBudget = 0, schedule } = options;
  checkCount('simulate', 'trials', trials, 1);
  checkCount('simulate', 'the seed', seed);
  if (seed > MAX_SEED) throw new RangeError(`simulate: the seed must be at most ${MAX_SEED}.`);
  const words = { order, failOn };
  for (const [name, value] of Object.entries(words)) checkWord(name, value, RUNGS);
  checkWord('strategy', strategy, ['portfolio', ...SEEDED]);
  if (!(timeBudget >= 0)) {
    throw new RangeError('simulate: timeBudget must be a number of milliseconds, 0 or more.');
  }
  if (schedule !== undefined && !(schedule instanceof Schedule)) {
    throw new TypeError('simulate: the schedule must be one that `schedules()` has made.');
  }
}

function faultsAsked(settings: FaultSettings): Faults {
  try {
    return resolveFaults(settings);
  } catch (error) {
    if (!(error instanceof FaultSettingsError)) throw error;
    throw new TypeError(`simulate: ${error.message}.`);
  }
}

function rungNumber(name: RungName): Rung {
  return RUNGS.indexOf(name) as Rung;
}

/** `any` has a quarter of the trials from the beginning: orders of primitives are found there. */
function rungOfTrial(trial: number, highest: Rung): Rung {
  const wanted = trial % 4 === 2 ? NODE : trial % 4 === 0 ? ANY : STUBS;
  return highest < wanted ? highest : wanted;
}

function checkWord(name: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new RangeError(`simulate: ${name} must be one of ${allowed.join(', ')}, not "${value}".`);
}

class Exploration {
  private readonly shapes = new Set<number>();
  private readonly hazards: FindingError[] = [];
  private readonly seen = new Set<string>();
  private readonly failOn: number;
  private readonly faults: Faults;
  private trials = 0;
  /** From the run of the empty schedule. */
  private profile: Profile = new Map();

  constructor(
    private readonly options: SimulateOptions,
    private readonly body: Body,
  ) {
    this.failOn = RUNGS.indexOf(options.failOn ?? 'stubs');
    this.faults = faultsAsked(options.faults ?? {});
  }

  async explore(): Promise<SimulateReport> {
    const { trials = 500, seed = 0, order = 'any', strategy = 'portfolio' } = this.options;
    const { timeBudget = Infinity } = this.options;
    const began = pristine.performanceNow();
    const portfolio = new Portfolio(seed, rungNumber(order), strategy, rungOfTrial);
    let choices = await this.begin();
    for (let trial = 2; trial <= trials && choices > 0; trial++) {
      if (pristine.performanceNow() - began > timeBudget) break;
      const of = { seed: portfolio.seed(trial) };
      const result = await this.run(planOf(of, this.profile));
      const failure = await this.judge(result, of);
      portfolio.add(trial, { shape: result.shape, failures: failure });
      choices = 1;
    }
    return this.report();
  }

  /** Runs one seed or schedule, and throws what comes of it as it is. */
  async replay(of: Origin): Promise<SimulateReport> {
    if ('seed' in of) await this.measure();
    const result = await this.run(planOf(of, this.profile, TITLE));
    const [{ failure }] = result.tests;
    if (failure === undefined) return this.report();
    const rung = 'seed' in of ? 'any' : RUNGS[planOf(of, new Map(), TITLE)(TITLE).rung];
    const shown = { failure, trial: 0, origin: of, rung, flip: undefined, sentences: [] };
    const schedule = 'schedule' in of ? of.schedule : undefined;
    throw new FindingError({ ...shown, schedule, identical: true, replay: replayLine(of) });
  }

  /** Runs the schedule that fast-check has drawn, and tells it what the run has decided. */
  async follow(schedule: Schedule): Promise<SimulateReport> {
    if (schedule.seeded) await this.measure();
    const { recorder, plan } = schedule.begin(this.profile, TITLE);
    const result = await this.run(plan, ({ loop }) => void (loop.recorder = recorder));
    const [{ failure }] = result.tests;
    schedule.ended(failure !== undefined);
    if (failure === undefined || schedule.rung > this.failOn) return this.report();
    const { origin } = schedule;
    const shown = { failure, trial: 0, origin, flip: undefined, sentences: [], identical: true };
    const rung = RUNGS[schedule.rung];
    const text = schedule.toString();
    throw new FindingError({ ...shown, schedule: text, rung, replay: replayLine(origin) });
  }

  /**
   * The empty schedule: what it does says where to deviate. The run before it fills the caches of
   * whatever is used.
   * @returns how many choices there were at or below the order
   */
  private async begin(): Promise<number> {
    await this.run(emptyPlan);
    const result = await this.measure();
    await this.judge(result, { seed: 0 });
    const order = rungNumber(this.options.order ?? 'any');
    return [...this.profile.values()].reduce((sum, { choices }) => sum + choices[order], 0);
  }

  private async measure(): Promise<BodyRun> {
    const { recorder, profile } = profileRecorder();
    this.profile = profile;
    return this.run(emptyPlan, ({ loop }) => void (loop.recorder = recorder));
  }

  /** Looks closely at a failure. @returns the signatures of what failed */
  private async judge(result: BodyRun, of: Origin): Promise<string[]> {
    this.trials++;
    this.shapes.add(result.shape);
    const [{ failure }] = result.tests;
    if (failure === undefined) return [];
    const signature = signatureOf(failure, TITLE);
    const known = this.seen.has(signature);
    this.seen.add(signature);
    if (known || this.hazards.length >= HAZARDS_MAX) return [signature];
    const found = { file: '', test: TITLE, of, signature };
    const run = (plan: ScopePlan, _: unknown, observe?: (scheduler: Scheduler) => void) =>
      this.run(plan, observe);
    const investigation = await investigate(run, found, this.profile);
    const error = await this.finding(result, of, investigation);
    const counts = investigation !== undefined && onlyOperations(investigation.schedule);
    if (counts || RUNGS.indexOf(error.rung) <= this.failOn) throw error;
    this.hazards.push(error);
    return [signature];
  }

  private async finding(
    result: BodyRun,
    of: Origin,
    found: Investigation<BodyRun> | undefined,
  ): Promise<FindingError> {
    const trial = this.trials;
    const failure = (found?.minimizedResult ?? result).tests[0].failure!;
    if (found === undefined) {
      const rung = 'native' as const;
      const unknown = { schedule: undefined, rung, sentences: [], flip: undefined };
      const replay = replayLine(of);
      return new FindingError({ failure, trial, origin: of, ...unknown, identical: false, replay });
    }
    const { scheduleText: schedule, schedule: minimal, sentences, flip, rung } = found;
    const origin = minimal.deviations.length === 0 ? { seed: 0 } : { schedule };
    const again = await this.run(planOf(origin, this.profile, TITLE));
    const identical = again.digest === found.minimizedResult.digest;
    const replay = replayLine(origin);
    const least = { schedule, rung, sentences, flip };
    return new FindingError({ failure, trial, origin, ...least, identical, replay });
  }

  /** Goes to a macrotask first: promises cannot be run to their end inside a reaction. */
  private run(plan: ScopePlan, observe?: (scheduler: Scheduler) => void): Promise<BodyRun> {
    return new pristine.Promise((resolve, reject) => {
      const begin = (): void => {
        try {
          resolve(runBody(this.body, plan, this.faults, observe));
        } catch (error) {
          reject(error as Error);
        }
      };
      const { scheduler } = active;
      if (scheduler === undefined) pristine.setImmediate(begin);
      else scheduler.loop.immediate(begin);
    });
  }

  private report(): SimulateReport {
    return { trials: this.trials, shapes: this.shapes.size, hazards: this.hazards };
  }
}
