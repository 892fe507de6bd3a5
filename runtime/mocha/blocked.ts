/**
 * Who waits for what: the contents of a deadlock report, and what a test has left behind.
 */

import type { Scope } from '../kernel/choice.js';
import type { LoopTimer } from '../kernel/event-loop.js';
import type { BlockedTask } from '../errors.js';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';

/** How many tasks and how many frames of each a report names. */
const MAX_TASKS = 20;
const MAX_FRAMES = 20;

/** A frame that waits, and the site at which it does. */
interface Waiting {
  readonly frame: Frame;
  readonly at: SourceSite;
}

/**
 * The tasks that wait, with their logical stacks; those of one scope when it is given. A generator
 * that waits to be asked for its next value is not blocked.
 */
export function blockedTasks(scheduler: Scheduler, scope?: Scope): BlockedTask[] {
  return innermost(waitingFrames(scheduler, scope)).slice(0, MAX_TASKS).map(describeBlocked);
}

/** What of `scope` is left when it ends: timers that keep a process alive, and waiting tasks. */
export function leaksOf(scheduler: Scheduler, scope: Scope): string[] {
  const leaks: string[] = [];
  for (const timer of scheduler.loop.pendingTimers()) {
    if (timer.task.scope !== scope || !keepsAlive(timer)) continue;
    leaks.push(`a timer is still pending, set at ${timer.site.position()}`);
  }
  if (scheduler.live.next === scheduler.live) return leaks;
  for (const task of blockedTasks(scheduler, scope)) {
    leaks.push(`${nameOf(task)} still waits for ${task.waitsFor} at ${task.position}`);
  }
  return leaks.slice(0, MAX_TASKS);
}

function keepsAlive(timer: LoopTimer & { hasRef?(): boolean }): boolean {
  return timer.hasRef === undefined || timer.hasRef();
}

function nameOf(task: BlockedTask): string {
  return task.name === '' ? 'the test' : `task ${task.name}`;
}

function waitingFrames(scheduler: Scheduler, scope: Scope | undefined): Waiting[] {
  const found: Waiting[] = [];
  const { live } = scheduler;
  for (let frame = live.next!; frame !== live; frame = frame.next!) {
    const at = frame.waiting;
    if (scope !== undefined && frame.task.scope !== scope) continue;
    if (at !== undefined && at.kind !== 'yield') found.push({ frame, at });
  }
  return found;
}

/** Leaves out the frames that wait for another frame of their own task, further in. */
function innermost(waiting: readonly Waiting[]): Waiting[] {
  const outer = new Set<Frame>();
  for (const { frame } of waiting) {
    if (frame.caller !== undefined && frame.caller.task === frame.task) outer.add(frame.caller);
  }
  return waiting.filter(({ frame }) => !outer.has(frame));
}

function describeBlocked({ frame, at }: Waiting): BlockedTask {
  const stack: string[] = [];
  let position = at.position();
  for (let f: Frame | undefined = frame; f !== undefined && stack.length < MAX_FRAMES;) {
    if (f.site.kind === 'unknown') break;
    stack.push(`${functionName(f.site)} (${position})`);
    f = f.caller;
    position = (f?.waiting ?? f?.site)?.position() ?? '';
  }
  return { name: taskName(frame.task), waitsFor: at.text, position: at.position(), stack };
}

/** `worker#2`; the empty string for the body of the test or hook itself. */
function taskName(task: Task): string {
  const { parent, label, ordinal } = task;
  if (parent === undefined) return '';
  const isBody = parent.parent === undefined && label.startsWith('function:');
  return isBody ? '' : `${label}#${ordinal}`;
}

function functionName(site: SourceSite): string {
  return site.fn === '' ? '<module>' : site.fn;
}
