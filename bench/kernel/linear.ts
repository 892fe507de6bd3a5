/**
 * Whether the cost of a run grows linearly with its events, and its memory with what is pending and
 * not with what has passed: the same scenario, ten times as long each time.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Sim } from '../../index.js';
import { runHeartbeats } from './heartbeats.js';

/** What a run of so many events costs. */
export interface LongRun {
  readonly events: number;
  /** Nanoseconds. */
  readonly perEvent: number;
  /** Bytes in use at the end of the run, while its simulation is still there. */
  readonly memory: number;
}

/** Timers that are pending all the time. */
const PENDING = 1000;

/** Runs so many events, of which a thousand are pending at any time. */
export function longRun(events: number): LongRun {
  const sim = new Sim({ seed: 1, maxSteps: Infinity });
  const random = sim.random('delays');
  const last = events - PENDING;
  let started = 0;
  const next = (): void => {
    if (started++ < last) sim.after(random.integer(1, 1000), next);
  };
  for (let i = 0; i < PENDING; i++) sim.after(i, next);
  const before = cpu();
  const ran = sim.run();
  const perEvent = (cpu() - before) / ran;
  collectGarbage();
  const memory = process.memoryUsage().heapUsed;
  // The simulation lives until here.
  if (sim.steps !== events) throw new Error(`${sim.steps} events ran instead of ${events}`);
  return { events, perEvent, memory };
}

/** Gets the code compiled before anything is measured. */
export function warmUp(): void {
  for (let seed = 1; seed <= 20; seed++) runHeartbeats(seed, 1e9);
  for (let i = 0; i < 5; i++) longRun(20_000);
}

let gc: (() => void) | undefined;

function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
  }
  gc();
}

/** CPU time of the process in nanoseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}
