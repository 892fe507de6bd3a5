/**
 * Collects the results of consecutive trials in a worker, until they are sent.
 *
 * What is kept does not grow with the number of trials beyond one number each: a failure that was
 * seen before is an index.
 */

import type { CoverageProbe } from '../../runtime/explore/coverage.js';
import { signatureOf } from '../../runtime/explore/signature.js';
import type { Failure, TrialResult } from '../../runtime/mocha/types.js';
import type { SeenCall, SeenFailure, SeenLeak, SeenSkip, TrialResults } from '../sweep/protocol.js';
import { CoverageSum } from '../sweep/site-coverage.js';
import { Sightings } from '../sweep/sightings.js';

/** Longer messages are cut: they are for people. */
const MESSAGE_MAX = 4000;

/** The name of the scope in which a file is loaded. */
export const LOADING = '(load)';

export class Collector {
  private from: number;
  private shapes: number[] = [];
  private failing: [trial: number, ...signatures: number[]][] = [];
  private failures = new Map<string, { index: number; seen: SeenFailure }>();
  private skipped = new Sightings<SeenSkip>((s) => `${s.title}\n${s.reason}`);
  private leaks = new Sightings<SeenLeak>((l) => `${l.title}\n${l.text}`);
  private uncontrolled = new Sightings<SeenCall>((c) => `${c.call}\n${c.site}`);
  private coverage = new CoverageSum();
  private times: number[] = [];

  /** @param from the trial that comes first */
  constructor(from: number) {
    this.from = from;
  }

  get empty(): boolean {
    return this.shapes.length === 0;
  }

  /** @param schedule says what was run, where no seed does */
  add(
    trial: number,
    result: TrialResult,
    elapsedMs: number,
    { schedule, probe }: { schedule?: (() => string) | undefined; probe?: CoverageProbe } = {},
  ): void {
    this.shapes.push(result.shape >>> 0);
    this.times.push(elapsedMs);
    const indices = new Set<number>();
    for (const { title, failure } of failuresOf(result)) {
      indices.add(this.indexOf(trial, title, failure, schedule));
    }
    this.coverage.addTrial(result.overtaken, indices.size > 0, probe);
    if (indices.size > 0) this.failing.push([trial, ...indices]);
    for (const test of result.tests) {
      const { title } = test;
      if (test.state === 'skipped') {
        this.skipped.add({ trial, title, reason: test.skipReason ?? 'skipped by itself' });
      }
      // In the other trials a delay may be all that keeps a task from ending.
      if (trial === 1) for (const text of test.leaks) this.leaks.add({ trial, title, text });
    }
    for (const { call, site } of result.uncontrolled) this.uncontrolled.add({ trial, call, site });
  }

  /** Everything since the last call. */
  take(): TrialResults {
    const results: TrialResults = {
      from: this.from,
      to: this.from + this.shapes.length - 1,
      shapes: Uint32Array.from(this.shapes),
      failing: this.failing,
      failures: [...this.failures.values()].map(({ seen }) => seen),
      skipped: this.skipped.upTo(Infinity),
      leaks: this.leaks.upTo(Infinity),
      uncontrolled: this.uncontrolled.upTo(Infinity),
      coverage: this.coverage.get(),
      times: Float32Array.from(this.times),
    };
    Object.assign(this, new Collector(results.to + 1));
    return results;
  }

  private indexOf(
    trial: number,
    title: string,
    failure: Failure,
    schedule: (() => string) | undefined,
  ): number {
    const signature = signatureOf(failure, title);
    const known = this.failures.get(signature);
    if (known !== undefined) return known.index;
    const index = this.failures.size;
    const seen = seenFailure(trial, title, failure);
    const from = schedule === undefined ? {} : { schedule: schedule() };
    this.failures.set(signature, { index, seen: { ...seen, ...from } });
    return index;
  }
}

/** The failures of a trial with the titles they go by. */
export function failuresOf(result: TrialResult): { title: string; failure: Failure }[] {
  const failures: { title: string; failure: Failure }[] = [];
  if (result.loadError !== undefined) {
    failures.push({ title: LOADING, failure: result.loadError });
  }
  for (const { title, state, failure } of result.tests) {
    // What a test that is skipped ran into says nothing about the program.
    if (failure !== undefined && state === 'failed') failures.push({ title, failure });
  }
  return failures;
}

/** A failure as plain data. */
export function seenFailure(trial: number, title: string, failure: Failure): SeenFailure {
  return {
    trial,
    title,
    signature: signatureOf(failure, title),
    kind: failure.kind,
    message: failure.message.slice(0, MESSAGE_MAX),
    stack: failure.stack,
    site: failure.site,
  };
}
