/**
 * What is known of one spec file while it is swept.
 *
 * Everything is kept by trial number, so that the result does not depend on which worker ran a
 * trial or when. A trial that never ends costs many seconds of wall clock; after `MAX_HANGS` of
 * them the file ends at the last of these, wherever other workers have got to meanwhile.
 */

import type { Isolation } from '../values.js';
import type {
  Coverage,
  SeenCall,
  SeenFailure,
  SeenLeak,
  SeenSkip,
  TrialResults,
  TrialsDone,
  TrialsJob,
  WarmUp,
} from './protocol.js';
import { NoveltyRounds } from './novelty-rounds.js';
import { CoverageSum } from './site-coverage.js';
import { Sightings } from './sightings.js';
import { KnownFirst, type TrialSeeds } from '../../runtime/explore/strategies/known-first.js';
import {
  isSearch,
  type SearchName,
  type StrategyName,
} from '../../runtime/explore/strategies/names.js';
import { Portfolio } from '../../runtime/explore/strategies/portfolio.js';
import type { Rung } from '../../runtime/kernel/rung.js';

/** How many trials of one file may hang or end their worker before the file is given up. */
const MAX_HANGS = 2;

/** How long a worker should be busy with one range of trials, in ms. */
const RANGE_MS = 400;

/** Of the trials up to now a steady range is this part at most, so that many can be run at once. */
const PARTS = 16;
const LEAST_PART = 25;

/** How the trials of a file are chosen. */
export interface Exploration {
  /** The base seed of the sweep. */
  readonly seed: number;
  /** The highest rung. */
  readonly order: Rung;
  readonly strategy: StrategyName;
  /** Seeds of this file that failed in an earlier sweep. */
  readonly known: readonly number[];
  /**
   * Whether ranges are cut the same way whenever and wherever the sweep runs, so that one that
   * begins again asks for the same ranges.
   */
  readonly steady: boolean;
}

/** One trial, looked back on. */
export interface ShownTrial {
  readonly trial: number;
  readonly shape: number;
  /** Wall clock. */
  readonly ms: number;
  readonly failed: boolean;
}

/** Trials `from` to `to` that a worker has been given. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly careful: boolean;
  /** The number of a part of a search. */
  readonly batch?: number;
}

export class FileSweep {
  state: 'new' | 'warming' | 'running' | 'ended' = 'new';
  isolate: Isolation;
  /** Why isolation was raised, if it was. */
  raised: string | undefined;
  warmUp: WarmUp | undefined;
  loadError: string | undefined;
  /** Counts the restarts; results of an earlier life are dropped. */
  life = 0;

  failures = new Sightings<SeenFailure>((f) => f.signature);
  skipped = new Sightings<SeenSkip>((s) => `${s.title}\n${s.reason}`);
  leaks = new Sightings<SeenLeak>((l) => `${l.title}\n${l.text}`);
  uncontrolled = new Sightings<SeenCall>((c) => `${c.call}\n${c.site}`);

  coverage = new CoverageSum();

  /** The distinct shapes so far, for the progress bar. */
  orders = new Set<number>();

  /** What a search has covered, once it has ended. */
  covered: readonly Coverage[] | undefined;
  readonly search: SearchName | undefined;

  private nextTrial = 2;
  private carefully: Range[] = [];
  private done: Uint8Array;
  private shapes: Uint32Array;
  private times: Float32Array;
  private portfolio: TrialSeeds | undefined;
  private rounds: NoveltyRounds | undefined;
  /** The last trial of a search that has ended. */
  private searchedTo = Infinity;
  private failing = new Map<number, readonly string[]>();
  private hangs: number[] = [];
  private trialMs = 1;
  private longestMs = 0;

  /** @param file absolute path */
  constructor(
    readonly file: string,
    readonly trials: number,
    isolate: Isolation,
    private readonly exploration: Exploration,
  ) {
    this.isolate = isolate;
    const { seed, order, strategy } = exploration;
    if (isSearch(strategy)) this.search = strategy;
    else this.portfolio = new KnownFirst(exploration.known, new Portfolio(seed, order, strategy));
    if (exploration.steady && this.search === 'novelty') this.rounds = new NoveltyRounds();
    this.done = new Uint8Array(trials + 1);
    this.shapes = new Uint32Array(trials + 1);
    this.times = new Float32Array(trials + 1);
  }

  // ---- work ------------------------------------------------------------------------------------

  /** The lowest trial that waits for a worker; Infinity when there is none. */
  get waitingTrial(): number {
    if (this.state !== 'running') return Infinity;
    this.carefully = this.carefully.filter((range) => range.from <= this.lastTrial);
    if (this.carefully.length > 0) return this.carefully[0].from;
    const open = this.nextTrial <= this.knownTo && this.rounds?.open !== false;
    return open ? this.nextTrial : Infinity;
  }

  /** Takes the next range of trials. @param workers among how many the rest is shared */
  take(workers: number): Range {
    const careful = this.carefully.shift();
    if (careful !== undefined) return careful;
    const from = this.nextTrial;
    const left = this.knownTo - from + 1;
    if (this.rounds !== undefined) {
      const { batch, size } = this.rounds.take();
      this.nextTrial = Math.min(from + size, this.lastTrial + 1);
      return { from, to: this.nextTrial - 1, careful: false, batch };
    }
    // Each trial of a search depends on those before it.
    if (this.search !== undefined) {
      this.nextTrial = this.lastTrial + 1;
      return { from, to: this.lastTrial, careful: false };
    }
    const size = Math.max(
      1,
      Math.min(left, this.isolate === 'process' ? 1 : this.size(from, workers)),
    );
    this.nextTrial += size;
    return { from, to: from + size - 1, careful: false };
  }

  /** How many trials a range may have. */
  private size(from: number, workers: number): number {
    if (!this.exploration.steady) {
      const share = Math.ceil((this.knownTo - from + 1) / workers / 2);
      return Math.min(Math.round(RANGE_MS / this.trialMs), Math.max(share, 20));
    }
    const wanted = Math.round(RANGE_MS / this.settledMs(from));
    const part = Math.max(LEAST_PART, Math.floor(from / PARTS));
    const block = (this.portfolio?.blockEnd(from) ?? Infinity) - from + 1;
    return Math.min(wanted, part, block);
  }

  /**
   * How long a trial takes, by results that were in before this one could be given out. The first
   * trials know of the warm-up only, whose code is cold.
   */
  private settledMs(trial: number): number {
    const block = this.portfolio?.blockBefore(trial);
    if (block === undefined) return this.warmUp!.elapsedMs;
    const times = this.times.subarray(block.from, block.to + 1);
    return times.reduce((sum, ms) => sum + ms, 0) / times.length;
  }

  /** The last trial that can be run now. */
  private get knownTo(): number {
    return Math.min(this.lastTrial, this.portfolio?.knownTo ?? Infinity);
  }

  /** The seed of a trial that can be run, or has been; a search has seeds only for the first. */
  seedOf(trial: number): number {
    return this.portfolio?.seed(trial) ?? 0;
  }

  /** @param patienceMs how long a trial may take before somebody looks where it is */
  job({ from, to, careful, batch }: Range, patienceMs: number): TrialsJob {
    const { file, isolate, search } = this;
    const { profile, digest } = this.warmUp!;
    const carefulMs = careful ? patienceMs : undefined;
    const count = search === undefined ? to - from + 1 : 0;
    const seeds = Array.from({ length: count }, (_, i) => this.seedOf(from + i));
    const range = { from, to, seeds, search };
    const part = batch === undefined ? {} : { part: { batch, known: this.rounds!.known } };
    return { kind: 'trials', file, isolate, profile, digest, ...range, ...part, carefulMs };
  }

  /** The trials from `from` on have no results: their worker was lost. */
  giveBack(from: number, to: number): void {
    if (from <= to) this.carefully.push({ from, to, careful: true });
  }

  /** How long a worker may be silent in this file, given a least time for any file. */
  silenceMs(least: number): number {
    return Math.max(least, 100 * this.longestMs);
  }

  /** Starts again from trial 1 with more isolation. */
  restart(isolate: Isolation, reason: string): void {
    Object.assign(this, new FileSweep(this.file, this.trials, isolate, this.exploration), {
      life: this.life + 1,
    });
    this.raised = reason;
  }

  // ---- results ---------------------------------------------------------------------------------

  addWarmUp(warmUp: WarmUp): void {
    this.warmUp = warmUp;
    this.trialMs = warmUp.elapsedMs;
    this.add(warmUp.results);
    this.state = warmUp.choices === 0 ? 'ended' : 'running';
  }

  add(results: TrialResults, elapsedMs?: number): void {
    const { from, to } = results;
    this.done.fill(1, from, to + 1);
    this.shapes.set(results.shapes, from);
    this.times.set(results.times, from);
    for (const shape of results.shapes) this.orders.add(shape);
    for (const failure of results.failures) this.failures.add(failure);
    for (const skip of results.skipped) this.skipped.add(skip);
    for (const leak of results.leaks) this.leaks.add(leak);
    for (const call of results.uncontrolled) this.uncontrolled.add(call);
    this.coverage.add(results.coverage);
    for (const [trial, ...indices] of results.failing) {
      this.failing.set(
        trial,
        indices.map((index) => results.failures[index].signature),
      );
    }
    for (let trial = from; trial <= to; trial++) {
      const failures = this.failing.get(trial) ?? [];
      this.portfolio?.add(trial, { shape: this.shapes[trial], failures });
    }
    this.longestMs = Math.max(this.longestMs, ...results.times);
    if (elapsedMs !== undefined) {
      this.trialMs = (this.trialMs + elapsedMs / (to - from + 1)) / 2;
    }
  }

  /** A range of a search has ended at a trial. */
  searched({ batch }: Range, { covered, found }: TrialsDone, lastTrial: number): void {
    if (batch === undefined) return this.covers(covered!, lastTrial);
    // A trial that did not end has ended the search before.
    if (this.searchedTo < Infinity) return;
    const handedOut = this.nextTrial - 1;
    this.rounds!.add(batch, Buffer.from(found!), handedOut, handedOut < this.lastTrial);
    this.covered = this.rounds!.coverage();
    if (this.rounds!.ended) this.searchedTo = handedOut;
  }

  /** A search has ended at this trial; of several that did not end, the first counts. */
  covers(covered: readonly Coverage[], lastTrial: number): void {
    this.covered = covered;
    this.searchedTo = Math.min(this.searchedTo, lastTrial);
  }

  /** A trial that did not end, or that ended its worker. */
  addHang(failure: SeenFailure): void {
    const { trial } = failure;
    this.failures.add(failure);
    this.failing.set(trial, [failure.signature]);
    this.done[trial] = 1;
    this.portfolio?.add(trial, { shape: 0, failures: [failure.signature] });
    this.hangs.push(trial);
    this.hangs.sort((a, b) => a - b);
  }

  // ---- questions -------------------------------------------------------------------------------

  /** The last trial that counts. */
  get lastTrial(): number {
    if (this.givenUp) return Math.min(this.hangs[MAX_HANGS - 1], this.searchedTo);
    if (this.warmUp?.choices === 0) return 1;
    return Math.min(this.trials, this.searchedTo);
  }

  /** Whether the file was given up because too many of its trials do not end. */
  get givenUp(): boolean {
    return this.hangs.length >= MAX_HANGS;
  }

  /** Whether a trial has been run. */
  ran(trial: number): boolean {
    return this.done[trial] === 1;
  }

  /** Whether a trial has failed. */
  fails(trial: number): boolean {
    return this.failing.has(trial);
  }

  /** How many trials have been run. */
  get trialsDone(): number {
    let sum = 0;
    for (let trial = 1; trial <= this.lastTrial; trial++) sum += this.done[trial];
    return sum;
  }

  /** Trials with a failure, lowest first, with the signatures of their failures. */
  failingTrials(): [trial: number, signatures: readonly string[]][] {
    return [...this.failing].filter(([trial]) => trial <= this.lastTrial).sort(([a], [b]) => a - b);
  }

  /** The shapes of all trials that ended: how many are distinct is how many orders were seen. */
  distinctShapes(): Set<number> {
    const distinct = new Set<number>();
    const hung = new Set(this.hangs);
    for (let trial = 1; trial <= this.lastTrial; trial++) {
      if (this.done[trial] === 1 && !hung.has(trial)) distinct.add(this.shapes[trial]);
    }
    return distinct;
  }

  /** What each trial that counts showed, in order; nothing of those that did not end. */
  shown(): ShownTrial[] {
    const shown: ShownTrial[] = [];
    for (let trial = 1; trial <= this.lastTrial; trial++) {
      if (this.done[trial] === 0 || this.hangs.includes(trial)) continue;
      const [shape, ms] = [this.shapes[trial], this.times[trial]];
      shown.push({ trial, shape, ms, failed: this.fails(trial) });
    }
    return shown;
  }
}
