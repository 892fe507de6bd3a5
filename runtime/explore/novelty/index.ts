/**
 * Novelty: explores a program until distinct shapes of its schedules stop appearing.
 *
 * The program is given as a function that runs one trial. Everything is a function of the seed: the
 * same seed runs the same trials.
 */

import type { Strategy } from '../../kernel/choice.js';
import type { Recorder } from '../../kernel/choices.js';
import { ANY } from '../../kernel/rung.js';
import { NoveltySearch } from './search.js';

/** One trial: run the program with this strategy on rung `any`. */
export interface NoveltyTrial {
  /** Counts from 1; the first is the empty schedule. */
  readonly trial: number;
  readonly strategy: Strategy;
  /** To be told of every choice: the `recorder` of the event loop. */
  readonly recorder: Recorder;
}

export interface TrialOutcome {
  /** Fingerprint of the order: `EventLoop.shape`, or one that knows better what matters. */
  readonly shape: number;
  /** What the program came to, for instance its result as text or the signature of its failure. */
  readonly outcome: string;
  readonly failed: boolean;
}

export interface NoveltyOptions {
  readonly seed: number;
  /** The most trials. Default 10,000. */
  readonly trials?: number;
  /** Called after each trial; false ends the search. */
  readonly onTrial?: (trial: number, result: TrialOutcome, isNew: boolean) => boolean | void;
}

export interface NoveltyReport {
  readonly trials: number;
  /** Distinct shapes and distinct outcomes. */
  readonly shapes: number;
  readonly outcomes: number;
  /** Of the latest `lately` trials so many showed a new shape. */
  readonly newLately: number;
  readonly lately: number;
  /** The estimated share of the mass of shapes that was seen, from 0 to 1. */
  readonly seen: number;
  readonly stopped: 'one schedule' | 'dry' | 'trials' | 'caller';
  readonly failures: readonly { readonly trial: number; readonly outcome: string }[];
}

const MOST_TRIALS = 10_000;

/** Explores a program whose trials are synchronous. */
export function exploreNovelty(
  run: (trial: NoveltyTrial) => TrialOutcome,
  options: NoveltyOptions,
): NoveltyReport {
  const exploration = new Exploration(options);
  while (exploration.stopped === undefined) exploration.note(run(exploration.next()));
  return exploration.report();
}

/** Explores a program whose trials are asynchronous. */
export async function exploreNoveltyAsync(
  run: (trial: NoveltyTrial) => Promise<TrialOutcome>,
  options: NoveltyOptions,
): Promise<NoveltyReport> {
  const exploration = new Exploration(options);
  while (exploration.stopped === undefined) exploration.note(await run(exploration.next()));
  return exploration.report();
}

class Exploration {
  stopped: NoveltyReport['stopped'] | undefined;
  private readonly search: NoveltySearch;
  private readonly failures: { trial: number; outcome: string }[] = [];

  constructor(private readonly options: NoveltyOptions) {
    this.search = new NoveltySearch(options.seed, ANY);
  }

  next(): NoveltyTrial {
    const { search } = this;
    const trial = search.saturation.trials + 1;
    const { strategy } = search.begin();
    return {
      trial,
      strategy,
      recorder: { choice: (decision, at) => search.choice(decision, at) },
    };
  }

  note(result: TrialOutcome): void {
    const { search, options } = this;
    const isNew = search.end(result.shape, result.outcome);
    const { trials } = search.saturation;
    if (result.failed) this.failures.push({ trial: trials, outcome: result.outcome });
    if (options.onTrial?.(trials, result, isNew) === false) this.stopped = 'caller';
    else if (search.oneSchedule) this.stopped = 'one schedule';
    else if (search.ended) this.stopped = 'dry';
    else if (trials >= (options.trials ?? MOST_TRIALS)) this.stopped = 'trials';
  }

  report(): NoveltyReport {
    const { trials, shapes, distinctOutcomes, newLately, lately, seen } = this.search.saturation;
    return {
      trials,
      shapes,
      outcomes: distinctOutcomes,
      newLately,
      lately,
      seen,
      stopped: this.stopped!,
      failures: this.failures,
    };
  }
}
