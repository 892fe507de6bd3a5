/** What `detsim sim --mode=workerpool` and `--mode=lowdiversity` run. */

import { explore, Sim, type Mode } from 'detsim';
import { lowdiversity } from './lowdiversity.js';
import { workerpool, type Result } from './workerpool.js';

export const JOBS = 20;
export const WORKERS = 4;

/** Runs the pool in a simulation, and says in which order the results came. */
export function runPool(sim: Sim, jobs = JOBS, workers = WORKERS): string {
  let results: Result[] | undefined;
  void sim.spawn('main', async () => {
    results = await workerpool(jobs, workers);
  });
  sim.run();
  const problem = problemOf(results!, jobs);
  if (problem !== undefined) throw new Error(problem);
  return results!.map(({ job }) => job).join(' ');
}

/** What is wrong with the results, if anything is. */
export function problemOf(results: readonly Result[], jobs: number): string | undefined {
  const done = results.map(({ job }) => job).sort((a, b) => a - b);
  for (let job = 0; job < jobs; job++) {
    if (done[job] !== job) return `LOST OR TWICE: job ${job}, done were ${done.join(' ')}`;
  }
  if (done.length > jobs) return `TWICE: ${done.length} results of ${jobs} jobs`;
  const wrong = results.find(({ job, square }) => square !== job * job);
  return wrong === undefined ? undefined : `WRONG: ${wrong.square} for job ${wrong.job}`;
}

function runSum(sim: Sim): string {
  let sum: number | undefined;
  void sim.spawn('main', async () => {
    sum = await lowdiversity();
  });
  sim.run();
  return String(sum);
}

/** A mode that runs a scenario, and can explore its orders. */
function mode(name: string, description: string, run: (sim: Sim) => string): Mode {
  const shapes = new Set<number>();
  const outcomes = new Set<string>();
  let runs = 0;
  return {
    name,
    description,
    defaults: {},
    run(seed) {
      const sim = new Sim({ seed });
      const outcome = run(sim);
      runs++;
      shapes.add(sim.shape);
      outcomes.add(outcome);
      return { line: `seed=${seed} ok, ${outcome}`, violation: false };
    },
    summary: () => `${runs} runs, ${shapes.size} shapes, ${outcomes.size} outcomes`,
    explore: (seed, trials) => explore(run, { seed, trials }),
  };
}

export const modes: readonly Mode[] = [
  mode('workerpool', `${JOBS} jobs, ${WORKERS} workers and a collector at two channels`, runPool),
  mode('lowdiversity', 'one task that waits for nothing: there is one order only', runSum),
];
