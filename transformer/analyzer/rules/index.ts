/** All rules, in order of their codes. */

import type { Rule } from '../check/rule.js';
import { floatingPromise } from './floating-promise.js';
import { ignoreDirective } from './ignore-directive.js';
import { syncChildProcess } from './sync-child-process.js';
import { threadBlocking } from './thread-blocking.js';

export const rules: readonly Rule[] = [
  ignoreDirective,
  threadBlocking,
  syncChildProcess,
  floatingPromise,
];
