/**
 * Runs a scenario again and again, each time in another order of its tasks, until new orders stop
 * appearing.
 */

import { ANY } from '../kernel/rung.js';
import { exploreNovelty, type NoveltyReport } from '../explore/novelty/index.js';
import { Sim } from './sim.js';

export interface ExploreOptions {
  /** Where the search begins: the same seed runs the same orders. Default 1. */
  readonly seed?: number;
  /** The most runs. Default 10,000. */
  readonly trials?: number;
}

/**
 * Explores the orders of a scenario. The first run is the one in which no operation takes time;
 * the others are drawn, or change a run a little that has shown a new order. The search is over
 * when hardly a run shows a new one. Random streams and faults are those of the seed in every run.
 *
 * Orders count as one when they differ only in what comes first of operations that have nothing to
 * do with each other: at different primitives, by tasks that have not met.
 * @param scenario starts its tasks in the simulation, runs it, and returns what it came to; a run
 *   that throws is a failure
 */
export function explore(
  scenario: (sim: Sim) => string,
  { seed = 1, trials }: ExploreOptions = {},
): NoveltyReport {
  return exploreNovelty(
    ({ strategy, recorder }) => {
      const sim = new Sim({ seed });
      sim.scheduler.beginScope({ title: 'sim', rung: ANY, strategy });
      sim.loop.recorder = recorder;
      let outcome: string;
      let failed = false;
      try {
        outcome = scenario(sim);
      } catch (error) {
        outcome = String(error);
        failed = true;
      }
      return { shape: sim.shape, outcome, failed };
    },
    { seed, trials },
  );
}
