/**
 * Small things that tests of strategies share: questions, profiles, and programs to be scheduled.
 */

import { noDeviation, Kind, type Choice, type Scope } from '../../runtime/kernel/choice.js';
import { ANY } from '../../runtime/kernel/rung.js';
import type { Profile, ScopeProfile } from '../../runtime/explore/profile.js';
import { siteAt } from '../../runtime/tasks/sites.js';
import { Task } from '../../runtime/tasks/task.js';

const scope: Scope = { title: 'a test', rung: ANY, strategy: noDeviation };

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
  return new Map([['a test', profileOf(duration)]]);
}
