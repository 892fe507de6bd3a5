/** DS1007: code in a text, with awaits in it. */

import { onEvaluated, waits } from '../check/evaluated.js';
import type { Rule } from '../check/rule.js';

export const evaluatedAwait: Rule = {
  code: 'DS1007',
  name: 'evaluated-await',
  severity: 'error',
  summary: 'Code in a text, with awaits in it',
  flagged:
    '`eval`, `new Function`, the constructor of async functions, and the functions of `node:vm`, ' +
    'where the text that is run has an `await`, a promise or a timer in it.',
  why:
    'The text is not compiled by detsim, so its awaits are no yield points: no other task can be ' +
    'scheduled there, and what starts there has no name.',
  instead: 'Write it as a function in a file.',
  example: {
    bad: `export const load = new Function('url', 'return fetch(url).then((r) => r.json())');`,
    good: `export const load = async (url: string): Promise<unknown> => (await fetch(url)).json();`,
  },
  listeners: (ts) =>
    onEvaluated(ts, ({ node, by, text, async }, context) => {
      if (!async && !waits(text)) return;
      context.report(
        node,
        `\`${by}\` runs a text with awaits, promises or timers that get no yield points: ` +
          'write it as a function in a file.',
      );
    }),
};
