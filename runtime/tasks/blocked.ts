/**
 * Who waits for what: the contents of a deadlock report, and what a test has left behind.
 */

import type { Scope, Site } from '../kernel/choice.js';
import type { LoopTimer } from '../kernel/event-loop.js';
import type { BlockedTask } from '../errors.js';
import { awaitingStack, positionOf } from './awaiting-stack.js';
import type { Frame } from './frame.js';
import type { Waiter } from './primitives/waiter.js';
import type { Scheduler } from './scheduler.js';
import { unknownSite, type SourceSite } from './sites.js';
import type { Task } from './task.js';

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
 * that waits to be asked for its next value is not blocked, and neither is a background task. Only
 * where {@link canDrain}.
 */
export function blockedTasks(scheduler: Scheduler, scope?: Scope): BlockedTask[] {
  return waitingTasks(scheduler, scope, awaitingStack);
}

/** @param stackOf the stack of code that is not instrumented */
function waitingTasks(
  scheduler: Scheduler,
  scope: Scope | undefined,
  stackOf: (waiter: Waiter) => readonly string[],
): BlockedTask[] {
  const matters = (task: Task): boolean =>
    !task.background && task.host?.dead !== true && (scope === undefined || task.scope === scope);
  const frames = innermost(waitingFrames(scheduler, matters));
  const instrumented = new Set(frames.map(({ frame }) => frame.task));
  const waiters = [...scheduler.operations.blocked()].filter(
    ({ owner: { task } }) => matters(task) && !instrumented.has(task),
  );
  // A task that has started another one waits for that, most likely.
  const known = new Set<Task>();
  for (const task of [...instrumented, ...waiters.map((w) => w.owner.task)]) {
    for (let t: Task | undefined = task; t !== undefined; t = t.parent) known.add(t);
  }
  const others = [...scheduler.operations.running].filter(
    ({ task }) => matters(task) && !known.has(task),
  );
  return [
    ...frames.map(describeBlocked),
    ...waiters.map((waiter) => describeWaiter(waiter, stackOf(waiter))),
    ...others.map(describeRunning),
  ].slice(0, MAX_TASKS);
}

/** Whether something waits that a run cannot end without, as far as it is known to detsim. */
export function foregroundWaiting(scheduler: Scheduler): boolean {
  return scheduler.operations.foreground > 0;
}

/** A task that is blocked in an operation, in code that is not instrumented. */
function describeWaiter(waiter: Waiter, stack: readonly string[]): BlockedTask {
  const name = taskName(waiter.owner.task);
  return { name, waitsFor: waiter.operation.text, position: positionOf(stack[0]), stack };
}

/** A task that has not ended, and waits for something that detsim does not know of. */
function describeRunning({ task }: Frame): BlockedTask {
  return {
    name: taskName(task),
    waitsFor: 'a promise that nothing settles',
    position: '',
    stack: [],
  };
}

/** What of `scope` is left when it ends: timers that keep a process alive, and waiting tasks. */
export function leaksOf(scheduler: Scheduler, scope: Scope): string[] {
  const leaks: string[] = [];
  for (const timer of scheduler.loop.pendingTimers()) {
    if (timer.task.scope !== scope || !keepsAlive(timer) || (timer.task as Task).host !== undefined)
      continue;
    leaks.push(`a timer is still pending, set ${where(timer.site)}`);
  }
  if (scheduler.live.next === scheduler.live && !foregroundWaiting(scheduler)) return leaks;
  for (const task of waitingTasks(scheduler, scope, () => [])) {
    const at = task.position === '' ? '' : ` at ${task.position}`;
    leaks.push(`${nameOf(task)} still waits for ${task.waitsFor}${at}`);
  }
  return leaks.slice(0, MAX_TASKS);
}

function where(site: Site): string {
  if (site === unknownSite) return 'in a package (code without yield points)';
  return `at ${site.position()}`;
}

function keepsAlive(timer: LoopTimer & { hasRef?(): boolean }): boolean {
  return timer.hasRef === undefined || timer.hasRef();
}

function nameOf(task: BlockedTask): string {
  return task.name === '' ? 'the test' : `task ${task.name}`;
}

function waitingFrames(scheduler: Scheduler, matters: (task: Task) => boolean): Waiting[] {
  const found: Waiting[] = [];
  const { live } = scheduler;
  for (let frame = live.next!; frame !== live; frame = frame.next!) {
    const at = frame.waiting;
    if (at !== undefined && at.kind !== 'yield' && matters(frame.task)) found.push({ frame, at });
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
