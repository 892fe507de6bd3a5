/** DS1010: a promise with a `then` of its own. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';

const MESSAGE =
  'This `then` takes the place of the engine’s, so detsim cannot tell when a reaction runs: ' +
  'wrap the promise in a function, and leave its `then` alone.';

export const overriddenThen: Rule = {
  code: 'DS1010',
  name: 'overridden-then',
  severity: 'error',
  summary: 'A promise with a `then` of its own',
  flagged:
    'A class that extends `Promise` and declares `then`, and assignments to `then` of a promise.',
  why:
    'A parked await subscribes with the engine’s own `then`, once, as plain `await` would for such ' +
    'a promise only after calling the override: order and number of calls differ.',
  instead:
    'Give the class a method of another name, or return a promise from a function around it.',
  example: {
    bad: `export class Logged<T> extends Promise<T> {
  override then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    console.log('then');
    return super.then(fulfilled, rejected);
  }
}`,
    good: `export async function logged<T>(promise: Promise<T>): Promise<T> {
  console.log('awaited');
  return await promise;
}`,
  },
  listeners: (ts) => [
    on<ts.ClassDeclaration>(ts.SyntaxKind.ClassDeclaration, visitClass),
    on<ts.ClassExpression>(ts.SyntaxKind.ClassExpression, visitClass),
    on<ts.BinaryExpression>(ts.SyntaxKind.BinaryExpression, (node, context) => {
      if (node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return;
      const target = skipOuter(ts, node.left);
      if (!ts.isPropertyAccessExpression(target) || target.name.text !== 'then') return;
      if (context.names.of(target.expression) === 'Promise.prototype') return;
      if (context.names.of(target) === 'Promise.then') context.report(node, MESSAGE);
    }),
  ],
};

function visitClass(node: ts.ClassLikeDeclaration, context: RuleContext): void {
  const { ts, types, checker } = context;
  if (!node.heritageClauses?.some((one) => one.token === ts.SyntaxKind.ExtendsKeyword)) return;
  const then = node.members.find(
    ({ name }) => name !== undefined && ts.isIdentifier(name) && name.text === 'then',
  );
  if (then === undefined || !types.inherits(checker.getTypeAtLocation(node), 'Promise')) return;
  context.report(then.name!, MESSAGE);
}
