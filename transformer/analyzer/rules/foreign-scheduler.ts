/** DS1011: async libraries that schedule by themselves. */

import { onRequest, packageOf } from '../check/requests.js';
import type { Rule } from '../check/rule.js';

const PACKAGES = new Set(
  (
    'bluebird zone.js q when rsvp es6-promise promise promise-polyfill native-promise-only lie ' +
    'pinkie yaku fibers zousan asynquence'
  ).split(' '),
);
const POLYFILL = /^core-js(?:-pure)?\/.*\bpromise\b/;

export const foreignScheduler: Rule = {
  code: 'DS1011',
  name: 'foreign-scheduler',
  severity: 'error',
  summary: 'An async library that schedules by itself',
  flagged:
    'Requests of promise libraries that are not the engine’s (`bluebird`, `q`, `when`, `rsvp`, ' +
    '`es6-promise`, …), of `zone.js`, and of polyfills of `Promise`. Imports of types alone are none.',
  why:
    'Such a library keeps its own queue of reactions, and flushes it at moments of its own. detsim ' +
    'can put no yield point there, and the order of its reactions is not the engine’s.',
  instead:
    'Use the engine’s promises; `node:timers/promises`, `p-map` and the like have the helpers.',
  example: {
    bad: `import Promise = require('bluebird');

export const later = Promise.delay(10);`,
    good: `import { setTimeout } from 'node:timers/promises';

export const later = setTimeout(10);`,
  },
  listeners: (ts) =>
    onRequest(ts, ({ node, specifier: { text } }, context) => {
      if (!PACKAGES.has(packageOf(text) ?? '') && !POLYFILL.test(text)) return;
      context.report(
        node,
        `"${text}" schedules its reactions by itself, where no yield point can be: ` +
          'use the engine’s own promises.',
      );
    }),
};
