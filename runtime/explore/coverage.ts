/**
 * Coverage of schedules: what of a test file's concurrency its trials have exercised.
 *
 * That an await was overtaken is noticed in every trial, since that costs nothing where nothing is
 * late. The rest needs to follow every step, and is noticed in one trial of ten. The kinds of holes
 * are those of async coverage (Ganji, Alimadadi and Tip, "Code coverage criteria for asynchronous
 * programs", FSE 2023), with schedules in place of executions.
 */

import type { Frame } from '../tasks/frame.js';
import type { StepRecorder } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';

/** In which trials every step is followed. */
export const PROBE_EVERY = 10;

interface LastSteps {
  /** The latest step of any task of the label. */
  at: number;
  task: Task;
  /** The latest step of another task than that. */
  before: number;
}

/** Follows the steps of one trial. */
export class CoverageProbe implements StepRecorder {
  /** Awaits that were come to. */
  readonly reached = new Set<SourceSite>();
  /** Awaits whose operand rejected. */
  readonly rejected = new Set<SourceSite>();
  /** Names of functions that ran as tasks of their own. */
  readonly tasks = new Set<string>();
  /** Two names with `\n` between them: one took a step while the other was under way. */
  readonly pairs = new Set<string>();
  private readonly byLabel = new Map<string, LastSteps>();
  private readonly byTask = new Map<Task, number>();
  private step = 0;

  created(): void {}

  entered(frame: Frame): void {
    this.pass(frame.task);
  }

  suspended(_frame: Frame, site: SourceSite): void {
    if (site.kind === 'await') this.reached.add(site);
  }

  resumed(frame: Frame, site: SourceSite, _value: unknown, given: boolean): void {
    if (!given && site.kind === 'await') this.rejected.add(site);
    this.pass(frame.task);
  }

  exited(frame: Frame): void {
    // A frame that ends at a yield point was ended by an error that nobody in it caught.
    if (frame.waiting?.kind === 'await') this.rejected.add(frame.waiting);
  }

  private pass(task: Task): void {
    const { label } = task;
    // Callbacks have no name, and a root is its test.
    if (task.parent === undefined || label.includes(':')) return;
    this.step++;
    const since = this.byTask.get(task);
    this.byTask.set(task, this.step);
    this.tasks.add(label);
    if (since !== undefined) {
      for (const [other, last] of this.byLabel) {
        const latest = last.task === task ? last.before : last.at;
        if (latest > since)
          this.pairs.add(label < other ? `${label}\n${other}` : `${other}\n${label}`);
      }
    }
    const last = this.byLabel.get(label);
    if (last === undefined) this.byLabel.set(label, { at: this.step, task, before: 0 });
    else {
      if (last.task !== task) {
        last.before = last.at;
        last.task = task;
      }
      last.at = this.step;
    }
  }
}
