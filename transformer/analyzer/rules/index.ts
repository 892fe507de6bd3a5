/** All rules, in order of their codes. */

import type { Rule } from '../check/rule.js';
import { asyncCallback } from './async-callback.js';
import { capturedGlobal } from './captured-global.js';
import { childProcess } from './child-process.js';
import { clockPolling } from './clock-polling.js';
import { computedAccess } from './computed-access.js';
import { customThenable } from './custom-thenable.js';
import { environmentOrder } from './environment-order.js';
import { evaluatedAwait } from './evaluated-await.js';
import { evaluatedText } from './evaluated-text.js';
import { floatingPromise } from './floating-promise.js';
import { foreignScheduler } from './foreign-scheduler.js';
import { ignoreDirective } from './ignore-directive.js';
import { lateIteration } from './late-iteration.js';
import { lateOnce } from './late-once.js';
import { locale } from './locale.js';
import { machineFigures } from './machine-figures.js';
import { messagePort } from './message-port.js';
import { nativeAddon } from './native-addon.js';
import { nextTickRecursion } from './next-tick-recursion.js';
import { otherProcess } from './other-process.js';
import { overriddenThen } from './overridden-then.js';
import { replacedGlobal } from './replaced-global.js';
import { replacedPromise } from './replaced-promise.js';
import { sharedMemory } from './shared-memory.js';
import { stateAcrossAwait } from './state-across-await.js';
import { syncChildProcess } from './sync-child-process.js';
import { threadBlocking } from './thread-blocking.js';
import { topLevelAwait } from './top-level-await.js';
import { unrefTimer } from './unref-timer.js';
import { weakReference } from './weak-reference.js';
import { workerThread } from './worker-thread.js';

export const rules: readonly Rule[] = [
  ignoreDirective,
  threadBlocking,
  syncChildProcess,
  childProcess,
  workerThread,
  messagePort,
  nativeAddon,
  evaluatedAwait,
  replacedPromise,
  replacedGlobal,
  overriddenThen,
  foreignScheduler,
  topLevelAwait,
  sharedMemory,
  otherProcess,
  clockPolling,
  floatingPromise,
  asyncCallback,
  stateAcrossAwait,
  weakReference,
  locale,
  computedAccess,
  capturedGlobal,
  environmentOrder,
  machineFigures,
  unrefTimer,
  nextTickRecursion,
  lateIteration,
  lateOnce,
  customThenable,
  evaluatedText,
];
