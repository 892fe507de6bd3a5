/**
 * A sweep: runs every spec file under many seeds, and looks closely at what fails.
 *
 * The phases follow one another: explore, group the failures, record and minimize one seed of each
 * group, replay it in fresh processes. What comes out depends on seeds only, not on how many
 * workers there were or which was faster.
 */

import path from 'node:path';
import { rungOf } from '../../runtime/explore/plan.js';
import { isSearch, type StrategyName } from '../../runtime/explore/strategies/names.js';
import type { Origin } from '../../runtime/explore/origin.js';
import { RUNGS, type Rung } from '../../runtime/kernel/rung.js';
import { UserError } from '../errors.js';
import type { ProjectSetup } from '../project.js';
import { reproduce, type ReproTarget } from '../report/repro.js';
import type { FileReport, Finding, Minimized, SweepReport } from '../report/model.js';
import type { Shard } from '../report/shard.js';
import { usesPlugin } from '../runners.js';
import { coverageNote } from '../report/coverage.js';
import { count, formatNumber } from '../report/words.js';
import { Coordinator } from './coordinator.js';
import { examineTwice, investigateJob, unexamined, type Examined } from './examine.js';
import type { Lane } from './lane.js';
import type { FailingSeed, SeedStore } from './seeds-file.js';
import { TraceFolders } from './trace-folders.js';
import { FileSweep, type Exploration } from './file-sweep.js';
import { historyOf } from './history.js';
import { groupFailures, type Group } from './groups.js';
import type { TestSummary } from './protocol.js';
import { Sightings } from './sightings.js';
import { simplestOf } from './simplest.js';

export interface SweepOptions {
  readonly setup: ProjectSetup;
  readonly cwd: string;
  readonly trials: number;
  /** Makes the lanes that trials run in, and no more than that many: there is work for no more. */
  readonly lanes: (most: number) => readonly Lane[];
  /** See {@link Exploration}. */
  readonly steady: boolean;
  /** Seeds that have failed in earlier sweeps. */
  readonly seeds: SeedStore;
  readonly failOn: Rung;
  readonly minimize: boolean;
  readonly strategy: StrategyName;
  /** How long to explore, in ms of wall clock. */
  readonly timeBudgetMs: number | undefined;
  /** How long a worker may be silent before it is taken to be in an endless loop, in ms. */
  readonly silenceMs: number;
  /** Those of the test files that are swept, absolute. */
  readonly specs: readonly string[];
  /** Which part of a sweep it is, when it is one. */
  readonly shard?: Shard;
  /** Variables that repro commands need; see {@link ReproTarget}. */
  readonly environment: Readonly<Record<string, string>>;
  readonly progress: ProgressSink;
}

/** What is shown while a sweep runs. */
export interface SweepProgress {
  readonly elapsedMs: number;
  readonly trialsDone: number;
  readonly trialsWanted: number;
  readonly shapes: number;
  readonly failures: number;
}

export interface ProgressSink {
  /** What is done while there is no progress to show. */
  say(text: string): void;
  update(progress: () => SweepProgress): void;
  end(): void;
}

/** How many findings are looked at closely; a project with more has other problems first. */
const EXAMINED_MAX = 20;

const INTERRUPTED = 'Not minimized: the sweep was interrupted.';

/** How long a worker may be silent, in ms. */
export const SILENCE_MS = 10_000;

/** A sweep that can be told to end early. */
export class Sweep {
  private files: FileSweep[];
  private readonly coordinator: Coordinator;
  private readonly startedAt = performance.now();
  private readonly knownSeeds: readonly FailingSeed[];
  private cutShort: SweepReport['cutShort'];

  constructor(private readonly options: SweepOptions) {
    const { setup, trials, silenceMs, strategy, seeds, steady } = options;
    this.knownSeeds = isSearch(strategy) ? [] : seeds.read();
    this.files = options.specs.map((file) => {
      const known = this.knownOf(file);
      const exploration: Exploration = {
        seed: setup.seed,
        order: setup.order,
        strategy,
        known,
        steady,
      };
      return new FileSweep(file, trials + known.length, setup.isolate, exploration);
    });
    this.coordinator = new Coordinator({
      setup,
      lanes: options.lanes(Math.max(1, this.files.length * Math.ceil(trials / 50))),
      silenceMs,
      onProgress: () => options.progress.update(() => this.progress()),
    });
  }

  async run(): Promise<SweepReport> {
    try {
      await this.explore();
      this.leaveOutUnmatched();
      let examined = await this.examineAll(this.files);
      const restarted = this.restartDiverged(examined);
      if (restarted.length > 0) {
        await this.explore();
        const others = [...examined].filter(([{ file }]) => !restarted.includes(file));
        examined = new Map([...others, ...(await this.examineAll(restarted))]);
      }
      const report = this.report(this.files.flatMap((file) => this.findingsOf(file, examined)));
      this.rememberSeeds(report.findings);
      return report;
    } finally {
      this.options.progress.end();
      this.close();
    }
  }

  private async explore(): Promise<void> {
    const { timeBudgetMs } = this.options;
    const left = (timeBudgetMs ?? 0) - (performance.now() - this.startedAt);
    const timer =
      timeBudgetMs === undefined ? undefined : setTimeout(() => this.end('time budget'), left);
    try {
      await this.coordinator.explore(this.files);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A failure that does not come again in a process of its own may be due to what a package has
   * kept from another trial, in which something else went wrong. Its file is swept once more.
   */
  private restartDiverged(examined: ReadonlyMap<Group, Examined>): readonly FileSweep[] {
    if (this.cutShort !== undefined) return [];
    const diverged = [...examined].filter(([, { replay }]) => replay?.identical === false);
    const files = new Set(diverged.map(([{ file }]) => file));
    const restarted = [...files].filter(({ isolate }) => isolate === 'modules');
    for (const file of restarted) {
      file.restart('all', 'a failure did not come again in a process of its own');
    }
    return restarted;
  }

  /** Ends all workers. */
  close(): void {
    this.coordinator.close();
  }

  /** No more trials, and nothing more is minimized: the report is made of what there is. */
  interrupt(): void {
    this.cutShort = 'interrupted';
    this.end('interrupted');
  }

  // ---- seeds that have failed ------------------------------------------------------------------

  /** Of one file, each once. */
  private knownOf(file: string): number[] {
    const name = this.fromRoot(file);
    const { order } = this.options.setup;
    const own = this.knownSeeds.filter((one) => one.file === name && rungOf(one.seed) <= order);
    return [...new Set(own.map(({ seed }) => seed))];
  }

  /** Those that failed in this sweep, and of the known ones those that were not run. */
  private rememberSeeds(findings: readonly Finding[]): void {
    const left = this.knownSeeds.filter(({ file, test, seed }) => {
      const swept = this.files.find((one) => this.fromRoot(one.file) === file);
      if (swept === undefined) return true;
      const index = this.knownOf(swept.file).indexOf(seed);
      const titles = swept.warmUp?.tests.map(({ title }) => title) ?? [];
      if (index === -1 || !titles.includes(test)) return true;
      return !swept.ran(index + 2) || swept.fails(index + 2);
    });
    const failed = findings.flatMap(({ file, test, kind, decisions, chosen }) =>
      chosen === undefined || kind === 'hang' || decisions === 0
        ? []
        : [{ file: this.fromRoot(path.resolve(this.options.cwd, file)), test, seed: chosen }],
    );
    this.options.seeds.write([...left, ...failed]);
  }

  private fromRoot(file: string): string {
    return path.relative(this.options.setup.root, file).split(path.sep).join('/');
  }

  /** With `--grep`, files without a test that matches are as if they were not there. */
  private leaveOutUnmatched(): void {
    const { grep } = this.options.setup;
    if (grep === undefined || this.cutShort !== undefined) return;
    this.files = this.files.filter((file) => file.warmUp?.tests.length !== 0);
    if (this.files.length > 0) return;
    throw new UserError(
      `No test matches --grep "${grep}". The pattern is a regular expression that is looked for in ` +
        'the full titles: those of the suites and of the test, with spaces between them.',
    );
  }

  private end(why: 'interrupted' | 'time budget'): void {
    this.cutShort ??= why;
    this.coordinator.stop();
  }

  /** How long its trials will take yet, at the rate so far, in ms. */
  get msLeft(): number {
    const { elapsedMs, trialsDone, trialsWanted } = this.progress();
    return (elapsedMs / trialsDone) * (trialsWanted - trialsDone);
  }

  private progress(): SweepProgress {
    const sum = (of: (file: FileSweep) => number): number =>
      this.files.reduce((total, file) => total + of(file), 0);
    return {
      elapsedMs: performance.now() - this.startedAt,
      trialsDone: sum((file) => file.trialsDone),
      trialsWanted: sum((file) => file.lastTrial),
      shapes: sum((file) => file.orders.size),
      failures: sum((file) => file.failures.size),
    };
  }

  // ---- findings --------------------------------------------------------------------------------

  private async examineAll(files: readonly FileSweep[]): Promise<Map<Group, Examined>> {
    const groups = files.flatMap((file) => groupFailures(file));
    const examined = new Map<Group, Examined>();
    const wanted: Group[] = [];
    for (const group of groups) {
      const why = this.whyNotExamined(group, wanted.length);
      if (why === undefined) wanted.push(group);
      else examined.set(group, unexamined(group, why));
    }
    const { minimize, progress } = this.options;
    if (wanted.length > 0) progress.say(`looking closely at ${count(wanted.length, 'finding')} …`);
    const jobs = wanted.map((group) => investigateJob(group, minimize));
    const interrupted = (): boolean => this.cutShort === 'interrupted';
    const outcomes = await this.coordinator.runAll(jobs, interrupted);
    const simplest = await simplestOf(wanted, outcomes, (others) =>
      this.coordinator.runAll(others, interrupted),
    );
    const folders = new TraceFolders(this.options.setup.root);
    for (const [index, group] of wanted.entries()) {
      const { group: shown, outcome } = simplest[index];
      const folder = folders.next(group.failure.title);
      examined.set(
        group,
        outcome === undefined || interrupted()
          ? unexamined(group, INTERRUPTED)
          : {
              chosen: shown.chosen,
              ...(await examineTwice(shown, outcome, this.coordinator, folder)),
            },
      );
    }
    // In the order of the failures.
    return new Map(groups.map((group) => [group, examined.get(group)!]));
  }

  private findingsOf(file: FileSweep, examined: ReadonlyMap<Group, Examined>): Finding[] {
    const own = [...examined].filter(([group]) => group.file === file);
    return own.map(([group, one]) => this.finding(group, one));
  }

  private whyNotExamined(group: Group, before: number): string | undefined {
    if (this.cutShort === 'interrupted') return INTERRUPTED;
    if (group.failure.kind === 'hang') return 'Not minimized: a run of it does not end.';
    if (group.failure.signature.startsWith('crash:')) {
      return 'Not minimized: a run of it ends the process.';
    }
    if (before >= EXAMINED_MAX) {
      return `Not minimized: only the first ${EXAMINED_MAX} findings of a sweep are.`;
    }
    return undefined;
  }

  private finding(group: Group, examined: Examined): Finding {
    const { file, failure, seeds, trials } = group;
    const { replay, minimized, chosen = group.chosen } = examined;
    const target = this.reproTarget(group, examined);
    const diverged = replay !== undefined && !replay.identical;
    return {
      signature: failure.signature,
      kind: diverged ? 'divergence' : failure.kind,
      message: failure.message,
      test: failure.title,
      file: target.file,
      site: failure.site,
      stack: failure.stack,
      // One that had failed before has been run twice.
      seeds: [...new Set(seeds)],
      failed: trials,
      chosen: 'seed' in chosen ? chosen.seed : undefined,
      trials: file.trialsDone,
      firstTrial: failure.trial,
      rung: examined.rung,
      decisions: examined.decisions,
      minimized: minimized && this.withPaths(minimized),
      replay,
      trace: examined.trace && this.relative(examined.trace),
      reproduce: reproduce(shortest(chosen, minimized), target),
      // Where nothing deviates the seed, which is 0 then or as good as that, says it all.
      minimal:
        minimized === undefined || minimized.deviations === 0
          ? undefined
          : reproduce(minimized, target),
      note: examined.note,
    };
  }

  private withPaths(minimized: Minimized): Minimized {
    const { flip } = minimized;
    return {
      ...minimized,
      trace: this.relative(minimized.trace),
      flip: flip && { ...flip, passingTrace: this.relative(flip.passingTrace) },
    };
  }

  private reproTarget({ file, failure }: Group, { alone, replay }: Examined): ReproTarget {
    const { runner, root } = this.options.setup;
    const shown = runner === undefined || usesPlugin(root, runner.name);
    const separator = shown ? runner?.settings?.separator : undefined;
    const tests = file.warmUp?.tests ?? [];
    const failed = tests.find((test) => test.title === failure.title);
    const own = failed?.path?.at(-1);
    const named = ({ title, path = [title] }: Pick<TestSummary, 'title' | 'path'>): string =>
      separator === undefined ? title : path.join(separator);
    const raised: Record<string, string> =
      file.raised === undefined ? {} : { DETSIM_ISOLATE: file.isolate };
    // Where nothing was replayed the title still names the test, if it is one.
    const only = alone || (replay === undefined && failed !== undefined);
    return {
      file: this.relative(file.file),
      test: only ? named(failed ?? failure) : undefined,
      ...(own !== undefined && { ownName: own }),
      titles: tests.map(named),
      ...(runner && { runner: shown ? runner.name : 'detsim' }),
      environment: { ...this.options.environment, ...raised },
    };
  }

  private relative(file: string): string {
    return path.relative(this.options.cwd, file) || file;
  }

  // ---- report ----------------------------------------------------------------------------------

  private report(all: readonly Finding[]): SweepReport {
    const { setup, failOn } = this.options;
    const fails = (finding: Finding): boolean =>
      finding.kind === 'divergence' || RUNGS.indexOf(finding.rung) <= failOn;
    const trials = this.files.reduce((sum, file) => sum + file.trialsDone, 0);
    const failed = this.files.reduce((sum, file) => sum + file.failingTrials().length, 0);
    return {
      trials,
      passed: trials - failed,
      elapsedMs: performance.now() - this.startedAt,
      order: RUNGS[setup.order],
      failOn: RUNGS[failOn],
      seed: setup.seed,
      shapes: this.files.reduce((sum, file) => sum + file.distinctShapes().size, 0),
      outcomes: this.outcomes(trials > failed),
      files: this.files.map((file) => this.fileReport(file)),
      findings: all.filter(fails),
      hazards: all.filter((finding) => !fails(finding)),
      skipped: this.files.flatMap((file) =>
        file.skipped.upTo(file.lastTrial).map(({ trial, title, reason }) => ({
          test: title,
          reason,
          always: trial === 1,
        })),
      ),
      leaks: this.files.flatMap((file) =>
        file.leaks.upTo(file.lastTrial).map(({ title, text }) => ({ test: title, text })),
      ),
      uncontrolled: this.uncontrolled(),
      cutShort: this.cutShort,
      shard: this.options.shard,
    };
  }

  /** Passing is one outcome; so is each set of failures that one trial had. */
  private outcomes(somePassed: boolean): number {
    const sets = new Set<string>();
    for (const file of this.files) {
      for (const [, signatures] of file.failingTrials()) {
        sets.add([file.file, ...[...signatures].sort()].join('\n'));
      }
    }
    return sets.size + (somePassed ? 1 : 0);
  }

  private uncontrolled(): { site: string; call: string }[] {
    const calls = new Sightings<{ trial: number; site: string; call: string }>(
      ({ site, call }) => `${site}\n${call}`,
    );
    for (const file of this.files) {
      for (const call of file.uncontrolled.upTo(file.lastTrial)) calls.add(call);
    }
    return calls.upTo(Infinity).map(({ site, call }) => ({ site, call }));
  }

  private fileReport(file: FileSweep): FileReport {
    const notes: string[] = [];
    if (file.raised !== undefined) {
      notes.push(
        `Isolation was raised to "${file.isolate}": ${file.raised}. ` +
          `Set "isolate": "${file.isolate}" in the config to start there.`,
      );
    }
    if (file.warmUp?.tests.length === 0) notes.push('There is no test in it.');
    else if (file.warmUp?.choices === 0) {
      notes.push('Nothing in it can happen in another order or at another time: one trial is all.');
    }
    notes.push(...(file.covered ?? []).map(coverageNote));
    if (file.givenUp) {
      notes.push(
        `Given up at trial ${formatNumber(file.lastTrial)}: too many of its trials do not end.`,
      );
    }
    return {
      file: this.relative(file.file),
      trials: file.trialsDone,
      failed: file.failingTrials().length,
      schedules: file.distinctShapes().size,
      tests: file.warmUp?.tests.length ?? 0,
      titles: file.warmUp?.tests.map(({ title }) => title) ?? [],
      notes,
      covered: file.covered,
      sites: file.coverage.get(),
      history: historyOf(file),
      loadError: file.loadError,
    };
  }
}

/** What a person runs: a seed where there is one, and seed 0 where nothing has to deviate. */
function shortest(chosen: Origin, minimized: Examined['minimized']): Origin {
  if (minimized?.deviations === 0) return { seed: 0 };
  return 'schedule' in chosen && minimized !== undefined ? minimized : chosen;
}
