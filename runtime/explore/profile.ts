/**
 * What the run of the empty schedule says of each scope: how much there is to deviate, and when
 * things happen. Strategies place their deviations by it.
 */

import { isOrder, Kind } from '../kernel/choice.js';
import type { Recorder } from '../kernel/choices.js';
import { ANY } from '../kernel/rung.js';

export interface ScopeProfile {
  /** How many delays were choices on each rung or below. */
  readonly choices: readonly number[];
  /** Virtual nanoseconds from the beginning to the last choice. */
  readonly duration: number;
  /** When there were choices, in virtual nanoseconds from the beginning, each time once. */
  readonly times: readonly number[];
  /** By the hash of a task: how many of its points can be held, on each rung or below. */
  readonly tasks: ReadonlyMap<number, readonly number[]>;
}

/** The profile of each scope of a test file. */
export type Profile = ReadonlyMap<string, ScopeProfile>;

/** That of a scope of which nothing is known. */
export const NO_PROFILE: ScopeProfile = {
  choices: [0, 0, 0, 0],
  duration: 0,
  times: [],
  tasks: new Map(),
};

/** Longer lists would cost more than they are worth: a profile goes to every worker. */
const MOST = 2000;

interface Measured extends ScopeProfile {
  readonly choices: number[];
  duration: number;
  readonly times: number[];
  readonly tasks: Map<number, number[]>;
}

/** Measures the scopes of a run for a {@link Profile}. */
export function profileRecorder(): { recorder: Recorder; profile: Profile } {
  const profile = new Map<string, Measured>();
  const recorder: Recorder = {
    choice({ kind, rung, task }, at) {
      if (kind === Kind.Random) return;
      const { title, beganAt = 0 } = task.scope;
      let measured = profile.get(title);
      if (measured === undefined) {
        measured = { choices: [0, 0, 0, 0], duration: 0, times: [], tasks: new Map() };
        profile.set(title, measured);
      }
      for (let r = rung; r <= ANY; r++) measured.choices[r]++;
      const time = at - beganAt;
      const { times } = measured;
      if (time !== times.at(-1) && times.length < MOST) times.push(time);
      measured.duration = time;
      if (isOrder(kind)) count(measured.tasks, task.hash, rung);
    },
  };
  return { recorder, profile };
}

function count(tasks: Map<number, number[]>, task: number, rung: number): void {
  let counts = tasks.get(task);
  if (counts === undefined) {
    if (tasks.size >= MOST) return;
    tasks.set(task, (counts = [0, 0, 0, 0]));
  }
  for (let r = rung; r <= ANY; r++) counts[r]++;
}
