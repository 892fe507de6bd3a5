/** DS1108: a clock, a timer or a source of randomness that is kept when a module loads. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { setOf } from '../check/calls.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';

const GLOBALS = setOf(
  'Date Date.now Math.random setTimeout setInterval setImmediate performance.now process.nextTick ' +
    'process.hrtime process.hrtime.bigint queueMicrotask timers/promises.setTimeout ' +
    'timers/promises.setInterval timers/promises.setImmediate crypto.randomBytes ' +
    'crypto.randomUUID crypto.randomInt',
);

export const capturedGlobal: Rule = {
  code: 'DS1108',
  name: 'captured-global',
  severity: 'warning',
  summary: 'A clock, a timer or a source of randomness that is kept when a module loads',
  flagged:
    'A variable at the top level of a module whose value is `Date.now`, `Math.random`, `setTimeout` ' +
    'or another of the functions that are virtual in a simulation. An `import` is none.',
  why:
    'A module that is loaded before detsim keeps the real function, and calls of it are then real. ' +
    'Where a test replaces the global, this module does not notice either.',
  instead: 'Call it where it is needed.',
  example: {
    bad: `const now = Date.now;

export const age = (born: number): number => now() - born;`,
    good: `export const age = (born: number): number => Date.now() - born;`,
  },
  listeners: (ts) => [
    on<ts.VariableStatement>(ts.SyntaxKind.VariableStatement, (node, context) => {
      if (!ts.isSourceFile(node.parent)) return;
      for (const declaration of node.declarationList.declarations) visit(declaration, context);
    }),
  ],
};

function visit(declaration: ts.VariableDeclaration, context: RuleContext): void {
  const { ts, names, checker } = context;
  if (declaration.initializer === undefined) return;
  if (ts.isIdentifier(declaration.name)) {
    const value = skipOuter(ts, declaration.initializer);
    // `promisify(setTimeout)` asks the function for its twin, which is virtual.
    const wraps = ts.isCallExpression(value) && names.of(value.expression) === 'util.promisify';
    if (!wraps) report(declaration, names.of(value), context);
  } else if (ts.isObjectBindingPattern(declaration.name)) {
    for (const element of declaration.name.elements) {
      const symbol = ts.isIdentifier(element.name) && checker.getSymbolAtLocation(element.name);
      if (symbol) report(element, names.ofSymbol(symbol), context);
    }
  }
}

function report(node: ts.Node, name: string | undefined, context: RuleContext): void {
  if (name === undefined || !GLOBALS.has(name)) return;
  context.report(
    node,
    `This keeps \`${name}\` as it is when the module loads, so a module that is loaded before detsim ` +
      'has the real one for good: call it where it is needed.',
  );
}
