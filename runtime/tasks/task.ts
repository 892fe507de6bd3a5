/**
 * A task is a logical thread. Its identity is its spawn path, not a counter: the names of the tasks
 * from the root down, each numbered among its siblings of the same name. So it keeps its identity
 * when tasks elsewhere come and go.
 */

import type { Subject } from '../kernel/choice.js';
import { mix } from '../kernel/hash.js';

export class Task implements Subject {
  readonly hash: number;

  constructor(
    readonly parent: Task | undefined,
    /** Function name, or kind and line of the place where it starts. */
    readonly label: string,
    labelHash: number,
    /** Counts from 1 among the tasks of one parent with this label. */
    readonly ordinal: number,
  ) {
    this.hash = mix(mix(parent === undefined ? 0 : parent.hash, labelHash), ordinal);
  }

  /** `label.ordinal`; the root has no name. */
  get name(): string {
    return this.parent === undefined ? this.label : `${this.label}.${this.ordinal}`;
  }

  /** The names from below the root down, separated by `/`. */
  path(): string {
    if (this.parent === undefined) return '';
    const above = this.parent.path();
    return above === '' ? this.name : `${above}/${this.name}`;
  }
}
