/**
 * One measurement each: how long so many awaits, or so many scheduling decisions, take.
 *
 * All but fast-check's run synchronously, so call them from a plain macrotask: nothing can be
 * drained inside a promise job.
 */

import fc from 'fast-check';
import { noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { finish, mix } from '../../runtime/kernel/hash.js';
import { ANY } from '../../runtime/kernel/rung.js';
import { EventLoop } from '../../runtime/kernel/event-loop.js';
import { drain } from '../../runtime/node/drain.js';
import { active, Scheduler } from '../../runtime/tasks/scheduler.js';
import type { Programs, Store } from './programs.js';

export interface Measured {
  readonly nanoseconds: number;
  /** A hash of the work that was done. */
  readonly work: number;
}

/** Tasks and rounds of {@link Programs.counter}: 100 scheduled operations. */
const TASKS = 5;
const ROUNDS = 10;

/** Scheduling decisions in one run of the counter: a read and a write in each round. */
export const DECISIONS = TASKS * ROUNDS * 2;

/** Every await is held for a drawn time of 1 to 1,024 ns. */
function holdAll(seed: number): Strategy {
  return {
    ...noDeviation,
    delay: ({ key, occurrence }) => 1 + (finish(mix(mix(seed, key), occurrence)) & 1023),
  };
}

/** `tasks` loops at once, outside any simulation. */
export function loops(programs: Programs, tasks: number, times: number): Measured {
  const started = process.cpuUsage();
  const work = settle(startLoops(programs, tasks, times), drain);
  return { nanoseconds: elapsed(started), work };
}

/** The same inside a simulation. */
export function simulatedLoops(
  programs: Programs,
  tasks: number,
  times: number,
  strategy: Strategy,
): Measured {
  const started = process.cpuUsage();
  const work = simulate(() => startLoops(programs, tasks, times), strategy);
  return { nanoseconds: elapsed(started), work };
}

/** Awaits that are not held, and awaits that are all held. */
export const strategies = { default: noDeviation, held: holdAll(1) };

/** Runs of the counter with every await held, each in a simulation and with a seed of its own. */
export function heldCounters(programs: Programs, runs: number): Measured {
  const started = process.cpuUsage();
  let work = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const counter = () => programs.counter(TASKS, ROUNDS, newStore());
    work = mix(work, simulate(counter, holdAll(seed)));
  }
  return { nanoseconds: elapsed(started), work };
}

/** The same under fast-check's scheduler. */
export async function fastCheckCounters(programs: Programs, runs: number): Promise<Measured> {
  const started = process.cpuUsage();
  let work = 0;
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { read, write } = newStore();
    const store = {
      read: scheduler.scheduleFunction(read),
      write: scheduler.scheduleFunction(write),
    };
    work = mix(work, await scheduler.waitFor(programs.counter(TASKS, ROUNDS, store)));
  });
  await fc.assert(property, { numRuns: runs, seed: 1 });
  return { nanoseconds: elapsed(started), work };
}

function newStore(): Store {
  let counter = 0;
  return {
    read: async () => counter,
    write: async (value) => {
      counter = value;
    },
  };
}

async function startLoops(programs: Programs, tasks: number, times: number): Promise<number> {
  const running: Promise<number>[] = [];
  for (let i = 0; i < tasks; i++) running.push(programs.loop(times));
  return (await Promise.all(running)).reduce(mix, 0);
}

function simulate(main: () => Promise<number>, strategy: Strategy): number {
  const loop = new EventLoop({
    drain,
    onError: (error) => {
      throw error;
    },
    onIdle: () => false,
    onBudget: () => {},
    maxSteps: Infinity,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  scheduler.beginScope({ title: 'bench', rung: ANY, strategy });
  active.scheduler = scheduler;
  try {
    return mix(
      settle(main(), () => loop.run()),
      loop.digest,
    );
  } finally {
    scheduler.ended = true;
    active.scheduler = undefined;
  }
}

/** The value of a promise that `run` brings to an end. */
function settle(promise: Promise<number>, run: () => void): number {
  let result: number | undefined;
  promise.then(
    (value) => (result = value),
    (error) => {
      throw error;
    },
  );
  run();
  if (result === undefined) throw new Error('the program has not come to its end');
  return result;
}

/** CPU time of the process, so that what else runs on the machine counts for little. */
function elapsed(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) * 1000;
}
