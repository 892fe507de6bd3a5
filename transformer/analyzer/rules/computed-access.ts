/** DS1107: a function of one of Node's modules, by a computed name. */

import type ts from 'typescript';
import { setOf } from '../check/calls.js';
import { on, type Rule } from '../check/rule.js';

const MODULES = setOf(
  'fs fs.promises timers timers/promises crypto net tls http https http2 dns dns.promises dgram zlib ' +
    'child_process worker_threads os cluster',
);

export const computedAccess: Rule = {
  code: 'DS1107',
  name: 'computed-access',
  severity: 'warning',
  summary: 'A function of one of Node’s modules, by a computed name',
  flagged:
    '`fs[name]` and its like for the modules that are virtual in a simulation, where the name is not ' +
    'known from the types.',
  why:
    'Which function it is turns out at run time only: the call gets no site of its own, and none of ' +
    'these rules can tell whether it can be simulated.',
  instead: 'Write the name, or list the functions that can be meant.',
  example: {
    bad: `import fs from 'node:fs';

export function call(name: string): unknown {
  return (fs as unknown as Record<string, () => unknown>)[name]();
}`,
    good: `import fs from 'node:fs';

const FUNCTIONS = { exists: fs.existsSync, read: fs.readFileSync };

export function call(name: keyof typeof FUNCTIONS, file: string): unknown {
  return FUNCTIONS[name](file);
}`,
  },
  listeners: (ts) => [
    on<ts.ElementAccessExpression>(ts.SyntaxKind.ElementAccessExpression, (node, context) => {
      const key = node.argumentExpression;
      if (ts.isStringLiteralLike(key)) return;
      const name = context.names.of(node.expression);
      if (name === undefined || !MODULES.has(name)) return;
      const type = context.checker.getTypeAtLocation(key);
      const isKnown = type.isStringLiteral() || (type.flags & ts.TypeFlags.ESSymbolLike) !== 0;
      if (isKnown) return;
      context.report(
        node,
        `Which function of \`${name}\` this is turns out at run time only, so it has no site and ` +
          'cannot be checked: write its name.',
      );
    }),
  ],
};
