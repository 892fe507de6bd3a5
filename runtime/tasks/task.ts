/**
 * A task is a logical thread. Its identity is its spawn path, not a counter: the names of the tasks
 * from the root down, each numbered among its siblings of the same name. So it keeps its identity
 * when tasks elsewhere come and go.
 */

import type { Scope, Subject } from '../kernel/choice.js';
import { hashString, mix } from '../kernel/hash.js';
import type { Host } from '../node/host.js';

/** How deep tasks nest. A timer that sets itself again and again would nest without end. */
const MAX_DEPTH = 16;

export class Task implements Subject {
  /** Whether it may remain at the end of a run; so may what it starts. */
  background = false;
  /** A hash of what has happened before its next operation; see primitives/operation.ts. */
  past = 0;
  step = 0;
  stepPeriod = 0;
  /** The simulated process it runs in; undefined for the one that a simulation begins with. */
  host: Host | undefined = undefined;

  private constructor(
    readonly parent: Task | undefined,
    readonly scope: Scope,
    /**
     * Function name, or kind and line of the place where it starts; a root has its scope's title.
     */
    readonly label: string,
    /** Counts from 1 among the tasks of one parent with this label. */
    readonly ordinal: number,
    readonly hash: number,
    private readonly depth: number,
  ) {}

  /** The task from which all of a scope descends. */
  static root(scope: Scope): Task {
    return new Task(undefined, scope, scope.title, 0, mix(0, hashString(scope.title)), 0);
  }

  /** The task to which a task that starts here belongs: this one, or its parent at the bottom. */
  get holder(): Task {
    return this.depth < MAX_DEPTH ? this : this.parent!;
  }

  child(label: string, labelHash: number, ordinal: number): Task {
    const hash = childHash(this.hash, labelHash, ordinal);
    const task = new Task(this, this.scope, label, ordinal, hash, this.depth + 1);
    task.background = this.background;
    task.host = this.host;
    return task;
  }

  /** `label.ordinal`; a root has its title. */
  get name(): string {
    return this.parent === undefined ? this.label : `${this.label}.${this.ordinal}`;
  }

  /** The names from below the root down, separated by `/`. */
  path(): string {
    const names: string[] = [];
    for (let task: Task = this; task.parent !== undefined; task = task.parent)
      names.push(task.name);
    return names.reverse().join('/');
  }
}

function childHash(parent: number, labelHash: number, ordinal: number): number {
  return mix(mix(parent, labelHash), ordinal);
}

/** The hash of the task with this path below the root of a scope; see {@link Task.path}. */
export function hashOfPath(scopeTitle: string, path: string): number {
  let hash = mix(0, hashString(scopeTitle));
  for (const name of path === '' ? [] : path.split('/')) {
    const dot = name.lastIndexOf('.');
    hash = childHash(hash, hashString(name.slice(0, dot)), Number(name.slice(dot + 1)));
  }
  return hash;
}
