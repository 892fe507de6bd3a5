/** DS1102: a promise that nobody awaits. */

import type ts from 'typescript';
import { returnsKeptPromise } from '../check/kept-promise.js';
import { on, type Fix, type Rule, type RuleContext } from '../check/rule.js';
import { skipOuter } from '../outer-expressions.js';
import { enclosingFunction, isAsync } from '../check/syntax.js';

/** What a test framework runs by itself, and what gives back the object that it was given. */
const ENDINGS = /^(?:callback|cb|done|next|resolve|reject)$/;
const JOINED = /^(?:test(?:\.|$)|Object\.)/;

export const floatingPromise: Rule = {
  code: 'DS1102',
  name: 'floating-promise',
  severity: 'warning',
  summary: 'A promise that nobody awaits: a task nobody joins',
  flagged:
    'A statement whose value is a promise (of the engine, not a lazy thenable) that is neither ' +
    'awaited, returned, given to `void`, nor handled by `catch` or by a second argument of `then`. ' +
    'A call that is given a callback to end with (`callback`, `resolve`, `(error, …) => …`) is left ' +
    'alone, and one of a function that makes no promise but gives back one that its object, its ' +
    'argument or a variable around it holds (`return this.promise`).',
  why:
    'The call starts a task that goes on by itself: the caller ends without it, a test can end ' +
    'before it, and when it fails nobody is told in time. Its order against everything else is open.',
  instead: 'Await it, return it, or write `void` before it where going on without it is meant.',
  example: {
    bad: `declare function save(user: string): Promise<void>;

export async function register(user: string): Promise<void> {
  save(user);
}`,
    good: `declare function save(user: string): Promise<void>;

export async function register(user: string): Promise<void> {
  await save(user);
}`,
  },
  listeners: (ts) => [
    on<ts.ExpressionStatement>(ts.SyntaxKind.ExpressionStatement, (node, context) => {
      for (const call of valuesOf(node.expression, context)) visit(call, context);
    }),
  ],
};

/** The expressions of a statement whose values it drops. */
function valuesOf(node: ts.Expression, context: RuleContext): ts.Expression[] {
  const { ts } = context;
  const expression = skipOuter(ts, node);
  if (ts.isConditionalExpression(expression)) {
    return [...valuesOf(expression.whenTrue, context), ...valuesOf(expression.whenFalse, context)];
  }
  if (ts.isBinaryExpression(expression)) {
    const { kind } = expression.operatorToken;
    const last =
      kind === ts.SyntaxKind.AmpersandAmpersandToken ||
      kind === ts.SyntaxKind.BarBarToken ||
      kind === ts.SyntaxKind.QuestionQuestionToken;
    if (last) return valuesOf(expression.right, context);
    if (kind !== ts.SyntaxKind.CommaToken) return [];
    return [...valuesOf(expression.left, context), ...valuesOf(expression.right, context)];
  }
  return [expression];
}

function visit(node: ts.Expression, context: RuleContext): void {
  const { ts, file } = context;
  const makesOne = ts.isCallExpression(node) || ts.isNewExpression(node);
  if (!makesOne) return;
  const type = typeOf(node, context);
  // What JavaScript is inferred to return "or nothing" depends on its arguments.
  const isUnsure = type.isUnion() && (node.flags & ts.NodeFlags.JavaScriptFile) !== 0;
  if (isUnsure || !context.types.isPromise(type)) return;
  if (isHandled(node, context) || callsBack(node, context)) return;
  if (ts.isCallExpression(node) && returnsKeptPromise(node, context)) return;
  const callee = node.expression;
  const name =
    callee.kind === ts.SyntaxKind.ImportKeyword ? 'import' : oneLine(callee.getText(file));
  const what = ts.isNewExpression(node) ? `new ${name}` : `${name}(…)`;
  context.report(
    node,
    `Nobody awaits the promise of \`${what}\`, so it becomes a task that nobody joins: await it, or write \`void\` before it.`,
    fixesFor(node, context),
  );
}

/** The type of a call, from the signature that the checker has chosen already. */
function typeOf(node: ts.CallExpression | ts.NewExpression, { ts, checker }: RuleContext): ts.Type {
  const chosen =
    ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.ImportKeyword
      ? checker.getResolvedSignature(node)
      : undefined;
  return chosen?.getReturnType() ?? checker.getTypeAtLocation(node);
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `…${line.slice(-39)}` : line;
}

/** Whether the call is told how to end: by a callback of Node's kind, or by a promise's own. */
function callsBack(
  { arguments: given, expression }: ts.CallExpression | ts.NewExpression,
  context: RuleContext,
): boolean {
  const { ts } = context;
  const callee = skipOuter(ts, expression);
  if (callee.kind === ts.SyntaxKind.SuperKeyword) return true;
  // `this.resolve(x)` settles a promise, and starts nothing.
  if (ts.isPropertyAccessExpression(callee) && /^(?:resolve|reject)$/.test(callee.name.text)) {
    if (context.names.of(callee.expression) !== 'Promise') return true;
  }
  return (given ?? []).some((argument) => {
    const value = skipOuter(ts, argument);
    if (ts.isIdentifier(value)) return ENDINGS.test(value.text);
    if (ts.isPropertyAccessExpression(value)) return ENDINGS.test(value.name.text);
    if (!ts.isArrowFunction(value) && !ts.isFunctionExpression(value)) return false;
    const [first] = value.parameters;
    return (
      first !== undefined && ts.isIdentifier(first.name) && /^_?err(?:or)?$/.test(first.name.text)
    );
  });
}

/** Whether a rejection is handled, or the call is one that the runner of the tests joins. */
function isHandled(node: ts.CallExpression | ts.NewExpression, context: RuleContext): boolean {
  const { ts } = context;
  if (ts.isNewExpression(node)) return false;
  const callee = skipOuter(ts, node.expression);
  const name = context.names.of(callee);
  if (name !== undefined && JOINED.test(name)) return true;
  if (!ts.isPropertyAccessExpression(callee)) return false;
  const method = callee.name.text;
  if (method === 'catch') return node.arguments.length > 0;
  if (method === 'then') {
    if (node.arguments.length > 1) return true;
    const inner = skipOuter(ts, callee.expression);
    return ts.isCallExpression(inner) && isHandled(inner, context) && isCatch(inner, context);
  }
  if (method === 'finally') {
    const inner = skipOuter(ts, callee.expression);
    return ts.isCallExpression(inner) && isHandled(inner, context);
  }
  return false;
}

function isCatch(node: ts.CallExpression, { ts }: RuleContext): boolean {
  return ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'catch';
}

function fixesFor(node: ts.Expression, { ts, file }: RuleContext): Fix[] {
  const start = node.getStart(file);
  const fn = enclosingFunction(ts, node);
  const fixes: Fix[] = [];
  if (fn !== undefined && isAsync(ts, fn)) {
    fixes.push({
      title: 'Await the promise',
      safe: false,
      edits: [{ start, end: start, text: 'await ' }],
    });
  }
  fixes.push({
    title: 'Mark the promise as not awaited with `void`',
    safe: false,
    edits: [{ start, end: start, text: 'void ' }],
  });
  return fixes;
}
