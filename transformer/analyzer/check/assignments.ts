/** Where a program puts something else in the place of a global: `Date.now = …` and its like. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import type { TypeScript } from '../sites.js';
import { on, type Listener, type RuleContext } from './rule.js';

/**
 * @param visit gets the node to report, and the name of what is replaced, such as `Date.now`. A
 *   property of a prototype is named with it: `Promise.prototype.then`
 */
export function onReplacement(
  ts: TypeScript,
  visit: (node: ts.Node, name: string, context: RuleContext) => void,
): readonly Listener[] {
  const { SyntaxKind } = ts;
  return [
    on<ts.BinaryExpression>(SyntaxKind.BinaryExpression, (node, context) => {
      // `??=` puts something where there is nothing.
      if (node.operatorToken.kind !== SyntaxKind.EqualsToken || isMissing(node, context)) return;
      const name = targetName(skipOuter(ts, node.left), context);
      if (name !== undefined) visit(node, name, context);
    }),
    on<ts.CallExpression>(SyntaxKind.CallExpression, (node, context) => {
      const [object, key] = node.arguments;
      if (key === undefined || !ts.isStringLiteralLike(key)) return;
      const callee = context.names.of(node.expression);
      if (callee !== 'Object.defineProperty' && callee !== 'Reflect.set') return;
      const base = baseName(object, context);
      if (base !== undefined) visit(node, base === '' ? key.text : `${base}.${key.text}`, context);
    }),
  ];
}

/** Whether an assignment stands in an `if` that finds its target to be missing. */
function isMissing({ left, parent }: ts.BinaryExpression, { ts, file }: RuleContext): boolean {
  let node: ts.Node = parent;
  while (ts.isExpressionStatement(node) || ts.isBlock(node)) node = node.parent;
  if (!ts.isIfStatement(node)) return false;
  const condition = node.expression.getText(file).replaceAll('?.', '.');
  return /^typeof\b|^!/.test(condition) && condition.includes(left.getText(file));
}

function targetName(target: ts.Expression, context: RuleContext): string | undefined {
  const { ts } = context;
  if (ts.isIdentifier(target)) return context.names.of(target);
  const key = ts.isPropertyAccessExpression(target)
    ? target.name.text
    : ts.isElementAccessExpression(target) && ts.isStringLiteralLike(target.argumentExpression)
      ? target.argumentExpression.text
      : undefined;
  if (key === undefined) return undefined;
  const object = (target as ts.AccessExpression).expression;
  const base = baseName(object, context);
  return base === undefined ? undefined : base === '' ? key : `${base}.${key}`;
}

/** The name of an object whose members are globals; empty for the global object itself. */
function baseName(node: ts.Expression, { ts, names }: RuleContext): string | undefined {
  const object = skipOuter(ts, node);
  if (ts.isIdentifier(object) && ['globalThis', 'global', 'window'].includes(object.text))
    return '';
  return names.of(object);
}
