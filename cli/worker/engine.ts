/**
 * Does the jobs of a worker: runs trials in this process and says what came of them.
 *
 * Between two trials it goes back to the real event loop: messages come in there, and whatever real
 * callbacks a package has left behind run there and not in the middle of a simulation.
 */

import path from 'node:path';
import {
  investigate,
  record,
  traceOf,
  type Case,
  type Recorded,
  type RunOutcome,
} from '../../runtime/explore/investigate.js';
import { CoverageProbe, PROBE_EVERY } from '../../runtime/explore/coverage.js';
import { emptyPlan, seedPlan, type ScopePlan } from '../../runtime/explore/plan.js';
import { profileRecorder, type Profile } from '../../runtime/explore/profile.js';
import { deviates, isDrawn } from '../../runtime/kernel/choice.js';
import { explain } from '../../runtime/explore/explain.js';
import { needsOf } from '../../runtime/explore/fault-words.js';
import { planOf, type Origin } from '../../runtime/explore/origin.js';
import { firstDifference } from '../../runtime/trace/difference.js';
import { nameDeviation } from '../../runtime/explore/schedule.js';
import { deviates as isDeviation, formatTrace, type Trace } from '../../runtime/trace/format.js';
import { loadedSites } from '../../runtime/trace/record.js';
import type { Scheduler } from '../../runtime/tasks/scheduler.js';
import type { TrialResult } from '../../runtime/mocha/types.js';
import { UserError } from '../errors.js';
import { unconfirmable } from './unconfirmable.js';
import { Project } from '../overlay/project.js';
import type { ProjectSetup } from '../project.js';
import type { Investigation, RecordedRun, Replay } from '../sweep/investigation.js';
import type {
  ConfirmJob,
  InvestigateJob,
  Job,
  JobResults,
  PlainRun,
  ReplayJob,
  TestSummary,
  TrialsDone,
  TrialsJob,
  WarmUp,
  WarmUpJob,
} from '../sweep/protocol.js';
import type { Isolation } from '../values.js';
import { Collector, failuresOf, LOADING, seenFailure } from './collector.js';
import { differentOutcome } from './different-outcome.js';
import { inspected, type Send } from './debugger.js';
import { Lookout } from './lookout.js';
import { ScopeSearches } from './searches.js';
import { createRunner, type TrialRunner } from './runner.js';

/** How often results are sent, in ms: what is lost at most when the worker is. */
const SEND_EVERY_MS = 200;

/** The real clock, whatever a test does to the global one. */
const now = performance.now.bind(performance);

/** What is known of a file that has been run in this process. */
interface Warm {
  readonly profile: Profile;
  readonly digest: number;
  readonly loadError: string | undefined;
}

export class Engine {
  private readonly runners = new Map<Isolation, TrialRunner>();
  private readonly warm = new Map<string, Warm>();
  private stopping = false;
  private lookout: Lookout | undefined;

  constructor(
    private readonly setup: ProjectSetup,
    private readonly send: Send,
  ) {
    this.runner(setup.isolate);
  }

  async run(job: Job): Promise<JobResults[Job['kind']]> {
    this.stopping = false;
    switch (job.kind) {
      case 'warm-up':
        return this.warmUp(job);
      case 'trials':
        return this.runTrials(job);
      case 'investigate':
        return this.investigate(job);
      case 'replay':
        return this.replay(job);
      case 'confirm':
        return this.confirm(job);
      case 'sites':
        await this.warmedHere(job);
        return loadedSites();
    }
  }

  /** Ends a range of trials after the one that runs now. */
  stop(): void {
    this.stopping = true;
  }

  // ---- trials ----------------------------------------------------------------------------------

  private async warmUp(job: WarmUpJob): Promise<WarmUp> {
    const first = await record(this.runOf(job), this.announced(emptyPlan), undefined);
    const started = now();
    const counted = await this.runEmpty(job, this.announced(emptyPlan));
    const elapsedMs = now() - started;
    const { result, profile } = counted;
    const collector = new Collector(1);
    collector.add(1, result, elapsedMs, { probe: counted.probe });
    // What a test does before it is skipped is no reason to run it again.
    for (const { title, state } of result.tests) {
      if (state === 'skipped') counted.choices.delete(title);
    }
    const parting = differentOutcome(first.result, result);
    const repeatable = parting === undefined && (await this.repeats(first.result, result, job));
    if (repeatable) this.warm.set(keyOf(job), warmOf(counted));
    const choicesOf = (title: string): number => counted.choices.get(title) ?? 0;
    const tests = result.tests.map(({ title, path, state }): TestSummary => ({
      title,
      ...(path && { path }),
      state,
      choices: choicesOf(title),
    }));
    return {
      ...(result.loadError === undefined ? {} : { loadError: result.loadError.stack }),
      tests,
      profile,
      digest: result.digest,
      repeatable,
      ...(repeatable ? {} : { difference: (await this.differenceTo(first, job)) ?? parting }),
      choices: [...counted.choices.values()].reduce((sum, n) => sum + n, 0),
      elapsedMs,
      results: collector.take(),
    };
  }

  /**
   * Whether a second run goes as the first did, or at least a third as the second: some packages do
   * something once, read a file or fill a cache, and go the same way ever after.
   */
  private async repeats(first: TrialResult, second: TrialResult, job: Job): Promise<boolean> {
    if (first.digest === second.digest) return true;
    if (second.loadError !== undefined) return false;
    const { result } = await this.runEmpty(job, emptyPlan);
    return result.digest === second.digest && differentOutcome(second, result) === undefined;
  }

  /** Where one more run leaves the way of the first. */
  private async differenceTo(
    first: Recorded<TrialResult & RunOutcome>,
    job: WarmUpJob,
  ): Promise<string | undefined> {
    const again = await record(this.runOf(job), emptyPlan, undefined);
    const whole = { file: '', test: '', of: { seed: 0 }, signature: '' };
    const difference = firstDifference(traceOf(first, whole), traceOf(again, whole));
    return difference && `${difference.expected}; then ${difference.got}`;
  }

  private async runTrials(job: TrialsJob): Promise<TrialsDone> {
    const { runner, file } = this.target(job);
    if (job.isolate !== 'process') {
      const { digest } = await this.warmedHere(job);
      if (digest !== job.digest) return { mismatch: true };
    }
    this.send({ type: 'alive' });
    const careful = job.carefulMs !== undefined;
    this.lookout = careful ? new Lookout(job.carefulMs) : undefined;
    const collector = new Collector(job.from);
    let sentAt = now();
    const flush = (): void => {
      if (!collector.empty) this.send({ type: 'results', results: collector.take() });
      sentAt = now();
    };
    const search = job.search && new ScopeSearches(job.search, this.setup, job.profile, job.part);
    for (let trial = job.from; trial <= job.to && !this.stopping && !search?.ended; trial++) {
      const plan = search?.begin() ?? seedPlan(job.seeds[trial - job.from], job.profile);
      if (careful) this.send({ type: 'trial', trial });
      const follow = search === undefined && trial % PROBE_EVERY === 0;
      const probe = follow ? new CoverageProbe() : undefined;
      const started = now();
      const result = await runner.runAsync({
        file,
        plan: careful ? this.announced(plan) : plan,
        ...(probe && { observe: (scheduler: Scheduler) => void (scheduler.recorder = probe) }),
        ...(search && { observe: search.observe }),
        console: 'swallow',
      });
      const ended = now();
      search?.end(result);
      const schedule = search?.schedule;
      collector.add(trial, result, ended - started, { schedule, ...(probe && { probe }) });
      if (careful || ended - sentAt >= SEND_EVERY_MS) flush();
    }
    flush();
    this.lookout?.end();
    if (search === undefined) return { mismatch: false };
    const found = job.part === undefined ? {} : { found: search.found() };
    return { mismatch: false, covered: search.coverage(), ...found };
  }

  // ---- single runs -----------------------------------------------------------------------------

  private async investigate(job: InvestigateJob): Promise<Investigation> {
    const { profile } = await this.warmed(job);
    const found = { ...this.caseOf(job), signature: job.signature };
    const run = this.runOf(job);
    if (!job.minimize) return this.recordOnly(job, found, profile);
    const investigation = await investigate(run, found, profile);
    if (investigation === undefined) {
      return { recorded: undefined, alone: false, minimized: undefined };
    }
    const { alone, trace, schedule, scheduleText, rung, minimizedTrace, sentences, flip } =
      investigation;
    const needs = needsOf(schedule.deviations.map(({ kind }) => kind));
    return {
      recorded: recordedRun(trace),
      alone,
      minimized: {
        trace: formatTrace(minimizedTrace),
        decisions: decisionsThatCount(minimizedTrace),
        schedule: scheduleText,
        deviations: schedule.deviations.length,
        rung,
        sentences,
        needs,
        unconfirmable: unconfirmable(needs, investigation.minimizedResult),
        flip: flip && {
          first: flip.first,
          second: flip.second,
          shared: flip.shared,
          passingTrace: formatTrace(flip.passing),
        },
      },
    };
  }

  private async recordOnly(
    job: InvestigateJob,
    found: Case,
    profile: Profile,
  ): Promise<Investigation> {
    for (const only of [job.title, undefined]) {
      const recorded = await record(this.runOf(job), planOf(job.of, profile, job.title), only);
      const failed = failuresOf(recorded.result).some(
        ({ title, failure }) => seenFailure(0, title, failure).signature === job.signature,
      );
      if (!failed) continue;
      const trace = traceOf(recorded, found);
      return { recorded: recordedRun(trace), alone: only !== undefined, minimized: undefined };
    }
    return { recorded: undefined, alone: false, minimized: undefined };
  }

  private async replay(job: ReplayJob): Promise<Replay> {
    const { of, title, alone } = job;
    const only = alone ? title : undefined;
    const run = this.runOf(job);
    const plan = await this.planOf(job);
    const { root, config } = this.setup;
    const recorded =
      job.inspect === undefined
        ? await record(run, plan, only)
        : await inspected(
            job.inspect,
            new Project(root, config).overlayFolder,
            this.send,
            (watch) => record(run, plan, only, watch),
          );
    const { result } = recorded;
    const failed = failuresOf(result)[0];
    const test = title ?? failed?.title ?? '';
    const trace = traceOf(recorded, this.caseOf({ file: job.file, title: test, of }));
    const deviations = recorded.recorder.decisions
      .filter((decision) => !isDrawn(decision.kind) && deviates(decision))
      .map((decision) => nameDeviation(decision, test));
    const needs = needsOf(deviations.map(({ kind }) => kind));
    return {
      ...recordedRun(trace),
      failure: failed && seenFailure(0, failed.title, failed.failure),
      state: failed !== undefined ? 'failed' : (result.tests[0]?.state ?? 'missing'),
      output: result.output,
      sentences: explain(trace, deviations),
      unconfirmable: unconfirmable(needs, result),
      uncontrolled: result.uncontrolled.map(({ call, site }) => ({ call, site })),
    };
  }

  private async confirm(job: ConfirmJob): Promise<PlainRun> {
    const { runner, file } = this.target(job);
    const { title } = job;
    const plan = await this.planOf(job);
    const result = await runner.runOnPlainNode({ file, only: title, plan, console: 'swallow' });
    const failed = failuresOf(result)[0];
    return {
      failure: failed && seenFailure(0, failed.title, failed.failure),
      state: failed !== undefined ? 'failed' : (result.tests[0]?.state ?? 'missing'),
    };
  }

  // ---- parts -----------------------------------------------------------------------------------

  private target(job: Job): { runner: TrialRunner; file: string } {
    return { runner: this.runner(job.isolate), file: job.file };
  }

  private runner(isolate: Isolation): TrialRunner {
    let runner = this.runners.get(isolate);
    if (runner === undefined) {
      runner = createRunner(this.setup, isolate);
      this.runners.set(isolate, runner);
    }
    return runner;
  }

  /** When this returns, what a package or Node does only once has been done, as in a sweep. */
  private async planOf(job: ReplayJob | ConfirmJob): Promise<ScopePlan> {
    const profile = job.profile ?? (await this.ranHere(job)).profile;
    return planOf(job.of, profile, job.title);
  }

  /** Profile and digest of the empty schedule, run for each file and level of isolation. */
  private async warmed(job: Job): Promise<Pick<Warm, 'profile'>> {
    return job.profile === undefined ? this.warmedHere(job) : { profile: job.profile };
  }

  private async warmedHere(job: Job): Promise<Warm> {
    const warm = await this.ranHere(job);
    if (warm.loadError !== undefined) throw new UserError(warm.loadError);
    return warm;
  }

  private async ranHere(job: Job): Promise<Warm> {
    let warm = this.warm.get(keyOf(job));
    if (warm === undefined) {
      // The second run counts, as when a sweep warms up.
      await this.runEmpty(job, emptyPlan);
      warm = warmOf(await this.runEmpty(job, emptyPlan));
      this.warm.set(keyOf(job), warm);
    }
    return warm;
  }

  private async runEmpty(job: Job, plan: ScopePlan): Promise<CountedRun> {
    const { runner, file } = this.target(job);
    const { recorder, profile } = profileRecorder();
    const choices = new Map<string, number>();
    const { order } = this.setup;
    const probe = new CoverageProbe();
    const observe = (scheduler: Scheduler): void => {
      scheduler.recorder = probe;
      scheduler.loop.recorder = {
        choice(decision, at) {
          recorder.choice(decision, at);
          if (decision.rung > order) return;
          const { title } = decision.task.scope;
          choices.set(title, (choices.get(title) ?? 0) + 1);
        },
      };
    };
    const result = await runner.runAsync({ file, plan, observe, console: 'swallow' });
    return { result, profile, choices, probe };
  }

  /** Runs for recording and minimizing. A file that does not load is one test that fails. */
  private runOf(job: Job) {
    const { runner, file } = this.target(job);
    return async (
      plan: ScopePlan,
      only: string | undefined,
      observe?: (scheduler: Scheduler) => void,
    ): Promise<TrialResult & RunOutcome> => {
      this.send({ type: 'alive' });
      const one = only === undefined || only === LOADING ? {} : { only };
      const watched = observe === undefined ? {} : { observe };
      const result = await runner.runAsync({ file, ...one, plan, ...watched, console: 'swallow' });
      const { loadError } = result;
      if (loadError === undefined) return result;
      const load = { title: LOADING, state: 'failed', failure: loadError } as const;
      const none = { choices: 0, virtualNs: 0, leaks: [] };
      return { ...result, tests: [{ ...load, ...none }, ...result.tests] };
    };
  }

  private caseOf(job: { file: string; title: string; of: Origin }) {
    const file = path.relative(this.setup.root, job.file).split(path.sep).join('/');
    return { file, test: job.title, of: job.of, signature: '' };
  }

  /** The same plan, telling the coordinator which scope begins: it may never end. */
  private announced(plan: ScopePlan): ScopePlan {
    return (scope) => {
      this.send({ type: 'scope', title: scope });
      this.lookout?.beat();
      return plan(scope);
    };
  }
}

interface CountedRun {
  readonly result: TrialResult;
  readonly profile: Profile;
  /** By scope; at or below the order of the sweep. */
  readonly choices: Map<string, number>;
  readonly probe: CoverageProbe;
}

function keyOf({ isolate, file }: Job): string {
  return `${isolate} ${file}`;
}

function warmOf({ result, profile }: CountedRun): Warm {
  return { profile, digest: result.digest, loadError: result.loadError?.stack };
}

function recordedRun(trace: Trace): RecordedRun {
  const decisions = trace.events.filter((event) => event.type === 'decision').length;
  return { trace: formatTrace(trace), decisions };
}

/** Decisions up to the last one that deviates: what comes after them is plain Node again. */
function decisionsThatCount(trace: Trace): number {
  let counted = 0;
  let decisions = 0;
  for (const event of trace.events) {
    if (event.type !== 'decision') continue;
    decisions++;
    if (isDeviation(event)) counted = decisions;
  }
  return counted;
}
