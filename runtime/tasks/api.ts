/**
 * What a program may say about itself: names of tasks, and promises that stand in for I/O. Outside
 * a simulation both do nothing but hand on what they are given.
 */

import { hashString } from '../kernel/hash.js';
import { pristine } from '../node/pristine.js';
import { Frame } from './frame.js';
import { tag } from './hooks.js';
import { active } from './scheduler.js';
import { unknownSite } from './sites.js';

/**
 * Starts `fn` as a task with a name, which traces and reports then use.
 * @param name for people; several tasks of one parent may share it and are numbered
 * @returns what `fn` returns; a synchronous throw becomes a rejection
 */
export function spawn<T>(name: string, fn: () => T | PromiseLike<T>): Promise<Awaited<T>> {
  const { scheduler } = active;
  if (scheduler === undefined || scheduler.ended) return start(fn);
  const label = name.replace(/[/#]/g, '_');
  const caller = scheduler.current;
  const task = scheduler.childTask(caller.task, label, hashString(label));
  scheduler.current = new Frame(scheduler, unknownSite, task, caller);
  scheduler.directCall = true;
  try {
    return start(fn);
  } finally {
    scheduler.current = caller;
    scheduler.directCall = false;
  }
}

function start<T>(fn: () => T | PromiseLike<T>): Promise<Awaited<T>> {
  try {
    return pristine.Promise.resolve(fn()) as Promise<Awaited<T>>;
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
