/**
 * Small things that tests of strategies share: questions, profiles, and programs to be scheduled.
 */

import {
  Kind,
  noDeviation,
  type Choice,
  type Scope,
  type Strategy,
} from '../../runtime/kernel/choice.js';
import type { Recorder } from '../../runtime/kernel/choices.js';
import { EventLoop } from '../../runtime/kernel/event-loop.js';
import { ANY } from '../../runtime/kernel/rung.js';
import { profileRecorder, type Profile, type ScopeProfile } from '../../runtime/explore/profile.js';
import { drain } from '../../runtime/node/drain.js';
import { install } from '../../runtime/node/install.js';
import { enter, file } from '../../runtime/tasks/hooks.js';
import { active, Scheduler } from '../../runtime/tasks/scheduler.js';
import { siteAt } from '../../runtime/tasks/sites.js';
import { Task } from '../../runtime/tasks/task.js';

install();

const TEST = 'a test';
const scope: Scope = { title: TEST, rung: ANY, strategy: noDeviation };

/** A question to a strategy. */
export function choiceOf(asked: Partial<Choice>): Choice {
  return {
    kind: Kind.Await,
    rung: ANY,
    key: 1,
    occurrence: 1,
    task: Task.root(scope),
    site: siteAt(0),
    limit: Infinity,
    due: 0,
    ...asked,
  };
}

/** A test with 40 choices on rung `stubs`. */
export function profileOf(duration: number): ScopeProfile {
  return { choices: [0, 10, 50, 110], duration, times: [], tasks: new Map() };
}

export function profilesOf(duration: number): Profile {
  return new Map([[TEST, profileOf(duration)]]);
}

// ---- programs ----------------------------------------------------------------------------------

/** Waits at a yield point of its own for each number. */
export type Wait = (point: number) => Promise<void>;

/** One task of a program. */
export type Job = (wait: Wait) => Promise<void>;

const POINTS = 20;
const JOBS = 8;

/** For each job a function site and its yield points. */
function tableWith(effects: readonly string[]): number {
  return file(
    `toy${effects.join('|')}.ts`,
    Array.from({ length: JOBS }, (_, job) => {
      const own: [string?] = effects[job] === undefined ? [] : [effects[job]];
      return [
        ['function', 100 * job + 1, 1, `job${job}`, '', ...own] as const,
        ...Array.from({ length: POINTS }, (_unused, i) => {
          return ['await', 100 * job + 2 + i, 1, `job${job}`, `point(${i})`, ...own] as const;
        }),
      ];
    }).flat(),
  );
}

const base = tableWith([]);

export interface ToyRun {
  readonly loop: EventLoop;
  readonly finished: boolean;
}

/** Runs jobs side by side in a simulation. */
export function runJobs(
  jobs: readonly Job[],
  strategy: Strategy,
  recorder?: Recorder,
  /** What each job does after each of its waits, as in a site table; open when left out. */
  effects?: readonly string[],
): ToyRun {
  const loop = new EventLoop({
    drain,
    onError: (error) => {
      throw error;
    },
    onIdle: () => false,
    onBudget: () => {},
    maxSteps: 10_000,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  loop.recorder = recorder;
  scheduler.beginScope({ title: TEST, rung: ANY, strategy });
  active.scheduler = scheduler;
  let ended = 0;
  let failed: unknown;
  try {
    jobs.forEach((job, index) => {
      runJob(job, index, effects).then(
        () => ended++,
        (error: unknown) => (failed = error),
      );
    });
    loop.run();
  } finally {
    scheduler.ended = true;
    active.scheduler = undefined;
  }
  loop.endHeld();
  if (failed !== undefined) throw failed;
  return { loop, finished: ended === jobs.length };
}

async function runJob(job: Job, index: number, effects?: readonly string[]): Promise<void> {
  const site = (effects === undefined ? base : tableWith(effects)) + index * (POINTS + 1);
  const frame = enter(site);
  const wait: Wait = async (point) => {
    frame.resume(await frame.suspend(undefined, site + 1 + point));
  };
  const running = job(wait);
  frame.exit();
  await running;
}

/** What the run without deviations says of the jobs. */
export function profileOfJobs(jobs: readonly Job[]): ScopeProfile {
  const { recorder, profile } = profileRecorder();
  runJobs(jobs, noDeviation, recorder);
  return profile.get(TEST)!;
}

/** A job for each word: it waits, and writes the next letter of the word. */
export function spell(words: readonly string[], log: string[]): Job[] {
  return words.map((word): Job => async (wait) => {
    for (const [point, letter] of [...word].entries()) {
      await wait(point);
      log.push(letter);
    }
  });
}

/** Jobs of equal length that write one letter each; the log tells the order. */
export function letters(count: number, points: number): { jobs: Job[]; log: string[] } {
  const log: string[] = [];
  const words = Array.from({ length: count }, (_, index) => 'abcdefgh'[index].repeat(points));
  return { jobs: spell(words, log), log };
}
