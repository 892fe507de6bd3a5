/**
 * Notices whether there may be a microtask to run.
 *
 * Draining after every event would cost a scenario of plain callbacks more than its events do.
 * While somebody watches, Node's promise hooks tell of every promise that is made or settled, and
 * without either of these no microtask can come up but by `queueMicrotask` and `nextTick`, whose
 * facades tell as well. A program without promises never calls the hooks.
 */

import { promiseHooks } from 'node:v8';

/** `pending` becomes true when there may be a microtask; whoever drains sets it to false. */
export const microtasks = { pending: false };

const tell = (): void => {
  microtasks.pending = true;
};

/** Starts to watch. Returns what ends it. */
export function watchMicrotasks(): () => void {
  return promiseHooks.createHook({ init: tell, settled: tell }) as () => void;
}
