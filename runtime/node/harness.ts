/**
 * The turn of the event loop that the test runner itself takes between two tests or hooks.
 *
 * Inside a simulation it is a harness event: never a choice, never marked. It belongs to the frame
 * of the scope, and is run in the async context of whoever asked for it, as a real immediate is, so
 * that what a hook enters into an AsyncLocalStorage is there in the test. Outside it is the real
 * immediate. The runner's timers are `EventLoop.startHarnessTimer`.
 */

import { AsyncResource } from 'node:async_hooks';
import { pristine, runInContext } from './pristine.js';
import { followed } from './simulated.js';

export const harness = {
  setImmediate(callback: () => void): void {
    const scheduler = followed();
    if (scheduler === undefined) {
      pristine.setImmediate(callback);
      return;
    }
    const resource = new AsyncResource('Harness', { requireManualDestroy: true });
    const immediate = scheduler.plainNode
      ? pristine.setImmediate
      : (run: () => void) => scheduler.loop.immediate(run);
    immediate(() => {
      scheduler.base = scheduler.current = scheduler.scope;
      scheduler.clearMarks();
      runInContext(resource, callback);
    });
  },
};
