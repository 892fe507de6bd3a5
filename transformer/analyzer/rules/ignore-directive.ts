/** DS1000: a comment that is meant to silence a rule, and does not. */

import type { Rule } from '../check/rule.js';

export const ignoreDirective: Rule = {
  code: 'DS1000',
  name: 'ignore-directive',
  severity: 'warning',
  summary: 'A comment that is meant to silence a rule, and does not',
  flagged:
    'A comment that begins with `detsim-ignore-` and names no rule, names one that does not exist, ' +
    'or gives no reason.',
  why: 'Such a comment silences nothing. A reason lets the next reader tell whether it holds.',
  instead: 'Write the code, a colon and the reason.',
  example: {
    bad: `import { execFileSync } from 'node:child_process';

// detsim-ignore-next-line DS1002
export const version = execFileSync('git', ['describe']);`,
    good: `import { execFileSync } from 'node:child_process';

// detsim-ignore-next-line DS1002: runs once, when the module is loaded
export const version = execFileSync('git', ['describe']);`,
  },
  // It reports what remains when all others are done: see check/index.ts.
  listeners: () => [],
};
