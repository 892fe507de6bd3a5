/**
 * What instrumented code calls besides its frame: `detsim/runtime`.
 */

import { pristine } from '../node/pristine.js';
import { Frame, plainFrame, type FrameHooks } from './frame.js';
import { active, type Scheduler } from './scheduler.js';
import { registerFile, siteAt, type SiteTuple, type SourceSite } from './sites.js';
import type { Task } from './task.js';

const NO_ARGUMENTS: readonly never[] = [];

/** Registers a file's sites; see {@link registerFile}. */
export function file(path: string, table: readonly SiteTuple[], stub = false): number {
  return registerFile(path, table, stub);
}

/** An instrumented async function starts: returns its frame. */
export function enter(site: number): FrameHooks {
  const { scheduler } = active;
  return scheduler === undefined ? plainFrame : scheduler.enter(siteAt(site));
}

type Method = 'then' | 'catch' | 'finally';

/**
 * `receiver.then(...)`, `.catch(...)` or `.finally(...)`: a reaction may start late when the
 * receiver is a native promise. Anything else that has such a method is called as it is.
 */
export function react(receiver: any, method: Method, site: number, ...args: unknown[]): unknown {
  const { scheduler } = active;
  if (scheduler === undefined || !isPlainPromise(receiver)) {
    return call(receiver, method, site, args);
  }
  const at = siteAt(site);
  const caller = scheduler.current;
  const target = scheduler.decide(receiver, caller, at) as any;
  const task = scheduler.childTask(caller.task, at.label, at.labelHash);
  for (let i = 0; i < args.length; i++) {
    if (typeof args[i] === 'function') args[i] = reaction(scheduler, task, at, caller, args[i]);
  }
  return target[method](...args);
}

/** A native promise whose methods nobody has replaced. */
function isPlainPromise(value: any): boolean {
  return (
    pristine.isPromise(value) &&
    value.constructor === pristine.Promise &&
    value.then === pristine.then
  );
}

function call(receiver: any, method: Method, site: number, args: unknown[]): unknown {
  const found = receiver[method];
  if (typeof found !== 'function') throw new TypeError(`${siteAt(site).text} is not a function`);
  return Reflect.apply(found, receiver, args);
}

/**
 * The callback of a reaction, run as the frame of a task of its own. That of `finally` gets no
 * argument.
 */
function reaction(
  scheduler: Scheduler,
  task: Task,
  site: SourceSite,
  caller: Frame,
  callback: any,
): (...values: unknown[]) => unknown {
  return (...values) => {
    if (scheduler.ended) return callback(...values);
    const frame = new Frame(scheduler, site, task, caller);
    scheduler.current = frame;
    scheduler.clearMarks();
    // What waits for the reaction's promise goes on.
    scheduler.loop.ordered(task, site, site.effects?.ends === true ? undefined : site.effects);
    scheduler.recorder?.entered(frame);
    try {
      return callback(...values);
    } finally {
      scheduler.recorder?.exited(frame);
      scheduler.current = scheduler.base;
    }
  };
}

/** Around the last argument of a call whose result gets a reaction at once. */
export function clear<T>(value: T): T {
  if (active.scheduler !== undefined) active.scheduler.clearCallMarks();
  return value;
}

/** The same for a call without arguments. */
export function noArgs(): readonly never[] {
  if (active.scheduler !== undefined) active.scheduler.clearCallMarks();
  return NO_ARGUMENTS;
}

/** Around the last thing evaluated before a call of a builtin: says where the call stands. */
export function at<T>(site: number, value: T): T {
  if (active.scheduler !== undefined) active.scheduler.markSite(site);
  return value;
}

/** The same for a call without arguments and without receiver. */
export function atNone(site: number): readonly never[] {
  if (active.scheduler !== undefined) active.scheduler.markSite(site);
  return NO_ARGUMENTS;
}

/** Around what a stand-in returns: a promise that stands in for I/O. */
export function tag<T>(value: T): T {
  const { scheduler } = active;
  if (scheduler !== undefined && pristine.isPromise(value)) scheduler.addStandIn(value);
  return value;
}
