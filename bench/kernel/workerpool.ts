/**
 * The worker pool of examples/pool: 20 jobs, 4 workers, every operation of a channel a yield point.
 * The original makes 9 decisions a trial, since its operations yield only where they block.
 */

import { explore, Sim } from '../../index.js';
import { workerpool } from '../../examples/pool/workerpool.js';
import { hashString } from '../../runtime/kernel/hash.js';
import type { Scenario } from './scenario.js';

const JOBS = 20;
const WORKERS = 4;
const TRIALS = 1005;

export const trial: Scenario = {
  name: 'one workerpool trial',
  original: 69_000,
  limit: 15_000,
  runs: 2000,
  run(seed) {
    const sim = new Sim({ seed });
    void sim.spawn('main', () => workerpool(JOBS, WORKERS));
    sim.run();
    return { hash: sim.loop.digest, decisions: sim.loop.choices, simulated: sim.now };
  },
};

export const novelty: Scenario = {
  name: `novelty search over the worker pool, ${TRIALS} trials`,
  original: 75e6,
  limit: 20e6,
  runs: 1,
  run(seed) {
    let decisions = 0;
    const report = explore(
      (sim) => {
        let order = '';
        void sim.spawn('main', async () => {
          order = (await workerpool(JOBS, WORKERS)).map(({ job }) => job).join(' ');
        });
        sim.run();
        decisions += sim.loop.choices;
        return order;
      },
      { seed, trials: TRIALS },
    );
    return { hash: hashString(JSON.stringify(report)), decisions };
  },
};
