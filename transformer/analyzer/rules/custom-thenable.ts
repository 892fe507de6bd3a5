/** DS1115: objects with a `then` that are no promises. */

import type ts from 'typescript';
import { on, type Rule, type RuleContext } from '../check/rule.js';

export const customThenable: Rule = {
  code: 'DS1115',
  name: 'custom-thenable',
  severity: 'warning',
  summary: 'An object with a `then` that is no promise',
  flagged:
    'A class or an object literal with a method `then` that takes callbacks. A subclass of `Promise` ' +
    'is [DS1010](DS1010.md).',
  why:
    'Every `await` calls `then` anew, one microtask later than for a promise: what it does, it does ' +
    'again for each await. When its callbacks are called is its own decision.',
  instead: 'Return a promise from a method such as `run()`.',
  example: {
    bad: `export class Query {
  then(resolve: (rows: string[]) => void): void {
    resolve([]);
  }
}`,
    good: `export class Query {
  async run(): Promise<string[]> {
    return [];
  }
}`,
  },
  listeners: (ts) => [
    on<ts.MethodDeclaration>(ts.SyntaxKind.MethodDeclaration, (node, context) => {
      visit(node.name, node, context);
    }),
    on<ts.PropertyAssignment>(ts.SyntaxKind.PropertyAssignment, (node, context) => {
      visit(node.name, node.initializer, context);
    }),
    on<ts.PropertyDeclaration>(ts.SyntaxKind.PropertyDeclaration, (node, context) => {
      if (node.initializer !== undefined) visit(node.name, node.initializer, context);
    }),
  ],
};

function visit(name: ts.PropertyName, fn: ts.Node, context: RuleContext): void {
  const { ts, types, checker } = context;
  if (!ts.isIdentifier(name) || name.text !== 'then') return;
  const isFunction =
    ts.isMethodDeclaration(fn) || ts.isArrowFunction(fn) || ts.isFunctionExpression(fn);
  if (!isFunction || fn.parameters.length === 0) return;
  const owner = name.parent.parent;
  if (ts.isClassLike(owner) && types.inherits(checker.getTypeAtLocation(owner), 'Promise')) return;
  context.report(
    name,
    'Each `await` calls this `then` anew and one microtask late, as the object is no promise: ' +
      'return a promise from a method instead.',
  );
}
