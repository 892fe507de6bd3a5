/**
 * What a program may say about itself: names of tasks, and promises that stand in for I/O. Outside
 * a simulation both do nothing but hand on what they are given.
 */

import { hashString } from '../kernel/hash.js';
import { derive, pristine, promiseResolve } from '../node/pristine.js';
import { Frame } from './frame.js';
import { tag } from './hooks.js';
import { active, type Scheduler } from './scheduler.js';
import { unknownSite } from './sites.js';

export interface SpawnOptions {
  /** The task, and what it starts, may remain at the end of a run. */
  readonly background?: boolean;
}

/**
 * Starts `fn` as a task with a name, which traces and reports then use.
 * @param name for people; several tasks of one parent may share it and are numbered
 * @returns what `fn` returns; a synchronous throw becomes a rejection
 */
export function spawn<T>(
  name: string,
  fn: () => T | PromiseLike<T>,
  options: SpawnOptions = {},
): Promise<Awaited<T>> {
  const { scheduler } = active;
  if (scheduler === undefined || scheduler.ended) return derive(start(fn), same);
  const label = name.replace(/[/#]/g, '_');
  const caller = scheduler.current;
  const task = scheduler.childTask(caller.task, label, hashString(label));
  if (options.background === true) task.background = true;
  const frame = new Frame(scheduler, unknownSite, task, caller);
  scheduler.operations.started(frame);
  scheduler.current = frame;
  scheduler.directCall = true;
  try {
    return derive(start(fn), ended(scheduler, frame, false), ended(scheduler, frame, true));
  } finally {
    scheduler.current = caller;
    scheduler.directCall = false;
  }
}

/** Runs when a task has ended, just before the code that awaits it: that of its starter, mostly. */
function ended<T>(scheduler: Scheduler, frame: Frame, failed: boolean): (result: T) => T {
  return (result) => {
    scheduler.operations.ended(frame);
    if (!scheduler.ended) {
      scheduler.base = scheduler.current = frame.caller!;
      scheduler.alone = false;
      scheduler.clearMarks();
    }
    if (failed) throw result;
    return result;
  };
}

/** The reaction of a task's promise outside a simulation, so that it takes as long as inside. */
function same<T>(value: T): T {
  return value;
}

function start<T>(fn: () => T | PromiseLike<T>): Promise<Awaited<T>> {
  try {
    return promiseResolve(fn()) as Promise<Awaited<T>>;
  } catch (error) {
    return pristine.Promise.reject(error as Error);
  }
}

/**
 * Marks a promise as standing in for I/O: on rung `stubs` it may take longer than it does here.
 * Promises from functions of test files, and of files matched by `stubs` in the config, are marked
 * by themselves.
 */
export function stub<T>(promise: T): T {
  return tag(promise);
}
