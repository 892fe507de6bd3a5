/** DS1116: code in a text that is not known. */

import { onEvaluated, waits } from '../check/evaluated.js';
import type { Rule } from '../check/rule.js';

export const evaluatedText: Rule = {
  code: 'DS1116',
  name: 'evaluated-text',
  severity: 'warning',
  summary: 'Code in a text that is put together at run time',
  flagged:
    '`eval`, `new Function` and the functions of `node:vm` with a text of which a part is not known ' +
    'from the source. A text that is known and waits for nothing is left alone.',
  why: 'The text is not compiled by detsim: if it awaits anything, that is no yield point.',
  instead:
    'Where the text only computes, ignore the warning with that as the reason; else write it as a ' +
    'function in a file.',
  example: {
    bad: `export function getter(path: string): unknown {
  return new Function('object', \`return object.\${path}\`);
}`,
    good: `export function getter(path: string): (object: Record<string, unknown>) => unknown {
  return (object) => object[path];
}`,
  },
  listeners: (ts) =>
    onEvaluated(ts, ({ node, by, text, complete, async }, context) => {
      if (complete || async || waits(text)) return;
      context.report(
        node,
        `\`${by}\` runs a text that is put together at run time, and awaits in it would be no ` +
          'yield points: write it as a function in a file, or make sure that it only computes.',
      );
    }),
};
