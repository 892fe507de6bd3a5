/**
 * The stack of the code that waits for an operation, found when somebody asks.
 *
 * Nothing is recorded when a task blocks. V8 finds the async functions that wait for a promise when
 * it makes a stack trace in a reaction from which that promise would be settled ("zero-cost async
 * stack traces"). So such a reaction is made to run, the promise is made to follow it, and the
 * reaction returns a promise that never settles: nobody goes on. This works for code that is not
 * instrumented too, as long as the promise is awaited in one place.
 */

import path from 'node:path';
import { drain } from '../node/drain.js';
import { derive, pristine, promiseResolve } from '../node/pristine.js';
import type { Waiter } from './primitives/waiter.js';

const MAX_FRAMES = 20;
const never = new pristine.Promise<never>(() => {});

/** A frame that waits, as V8 prints it: `    at async work (/app/pool.js:3:5)`. */
const ASYNC_FRAME = /^ +at async (?:(.*) \()?(?:file:\/\/)?(.+?:\d+:\d+)\)?$/;

/** The frames that wait for a blocked operation, innermost first: `work (pool.ts:3:5)`. */
export function awaitingStack(waiter: Waiter): string[] {
  let text = '';
  waiter.follow(
    derive(promiseResolve(undefined), () => {
      text = stackHere();
      return never;
    }),
  );
  drain();
  return text.split('\n').flatMap((line) => {
    const [, name = '<anonymous>', position] = ASYNC_FRAME.exec(line) ?? [];
    return position === undefined || isOurs(position) ? [] : [`${name} (${relative(position)})`];
  });
}

/** The trace of this place, with the frames of code that waits for it at the end. */
export function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const text = String(new Error().stack);
  Error.stackTraceLimit = stackTraceLimit;
  return text;
}

/** The position of `name (position)`. */
export function positionOf(frame: string | undefined): string {
  return frame === undefined ? '' : frame.slice(frame.lastIndexOf(' (') + 2, -1);
}

function isOurs(position: string): boolean {
  return position.startsWith(path.join(__dirname, path.sep));
}

function relative(position: string): string {
  const from = path.relative(pristine.cwd(), position);
  return (from.startsWith('..') ? position : from).split(path.sep).join('/');
}
