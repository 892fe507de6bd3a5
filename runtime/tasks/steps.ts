/**
 * The frame of an async function that TypeScript has lowered to a function of steps, which its
 * helper `__generator` calls again and again: after each await, and at once where the code jumps.
 */

import { enter } from './hooks.js';
import type { FrameHooks } from './frame.js';

/** What `__generator` gives the function: where it stands, and the `try` regions it is in. */
interface State {
  readonly label: number;
  /** The value that was awaited; throws what the promise was rejected with. */
  sent(): unknown;
  /** For each region, outermost first: where it begins, its catch, its finally, and its end. */
  readonly trys: readonly Region[];
  /** What goes on after a finally. */
  readonly ops: readonly Step[];
}

type Region = readonly [start: number, caught?: number, last?: number, next?: number];
type Step = readonly [code: number, value?: unknown];
type Body = (this: unknown, state: State, frame: FrameHooks) => Step;

const RETURN = 2;
const AWAIT = 4;
const THROW = 6;
const END_OF_FINALLY = 7;

/** Puts a frame around the steps of one call. */
export function steps(site: number, body: Body): (this: unknown, state: State) => Step {
  let frame: FrameHooks | undefined;
  let waits = false;
  return function (state) {
    if (frame === undefined) frame = enter(site);
    else if (waits) resume(frame, state);
    else frame.resume();
    waits = false;
    let step: Step;
    try {
      step = body.call(this, state, frame);
    } catch (error) {
      if (!goesOn(state, state.trys, THROW)) frame.exit();
      throw error;
    }
    if (step[0] === AWAIT) waits = true;
    else if (isLast(state, step)) frame.exit();
    return step;
  };
}

function resume(frame: FrameHooks, state: State): void {
  let value: unknown;
  try {
    value = state.sent();
  } catch {
    // It was rejected: the function throws it where it reads the value.
    frame.resume();
    return;
  }
  frame.resume(value);
}

function isLast(state: State, [code]: Step): boolean {
  if (code === RETURN) return !goesOn(state, state.trys, RETURN);
  if (code !== END_OF_FINALLY) return false;
  const pending = state.ops[state.ops.length - 1]?.[0];
  const ends = pending === RETURN || pending === THROW;
  return ends && !goesOn(state, state.trys.slice(0, -1), pending);
}

/** Whether a catch or finally of a region takes over. */
function goesOn({ label }: State, regions: readonly Region[], code: number): boolean {
  return regions.some(
    ([, caught = 0, last = 0]) => (code === THROW && label < caught) || label < last,
  );
}
