/** DS1112: functions that queue themselves before everything else. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { on, type Fix, type Rule, type RuleContext } from '../check/rule.js';
import { enclosingFunction, findInside } from '../check/syntax.js';

export const nextTickRecursion: Rule = {
  code: 'DS1112',
  name: 'next-tick-recursion',
  severity: 'warning',
  summary: '`nextTick` or `queueMicrotask` of the function itself',
  flagged: 'A function that gives itself to `process.nextTick` or to `queueMicrotask`.',
  why:
    'These queues are run to their end before anything else: timers and I/O do not get a turn until ' +
    'the function stops by itself. In a simulation it ends as a livelock.',
  instead: 'Use `setImmediate`, which lets everything else run between two rounds.',
  example: {
    bad: `export function poll(isReady: () => boolean): void {
  if (!isReady()) process.nextTick(() => poll(isReady));
}`,
    good: `export function poll(isReady: () => boolean): void {
  if (!isReady()) setImmediate(() => poll(isReady));
}`,
  },
  listeners: (ts) => [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, (node, context) => {
      const name = context.names.of(node.expression);
      if (name !== 'process.nextTick' && name !== 'queueMicrotask') return;
      const [callback] = node.arguments;
      if (callback === undefined || !runsItself(node, callback, context)) return;
      context.report(
        node,
        `\`${name}\` of the function itself keeps timers and I/O from running until it stops: ` +
          'use `setImmediate`.',
        setImmediateFix(node, context),
      );
    }),
  ],
};

/** Whether `callback` is the function around the call, or does no more than call it. */
function runsItself(node: ts.Node, callback: ts.Expression, context: RuleContext): boolean {
  const { ts, checker } = context;
  // In a callback inside of it the call may come at any time.
  const fn = enclosingFunction(ts, node);
  const own = fn && symbolOfFunction(fn, context);
  if (own === undefined) return false;
  const names = (one: ts.Node): boolean => checker.getSymbolAtLocation(one) === own;
  const given = skipOuter(ts, callback);
  if (ts.isIdentifier(given)) return names(given);
  if (ts.isPropertyAccessExpression(given)) return names(given.name);
  if (!ts.isArrowFunction(given) && !ts.isFunctionExpression(given)) return false;
  const call = findInside(ts, given.body, (one) => ts.isCallExpression(one));
  if (call === undefined || !ts.isCallExpression(call)) return false;
  const callee = skipOuter(ts, call.expression);
  return names(ts.isPropertyAccessExpression(callee) ? callee.name : callee);
}

function symbolOfFunction(
  fn: ts.FunctionLikeDeclaration,
  { ts, checker }: RuleContext,
): ts.Symbol | undefined {
  if (fn.name !== undefined) return checker.getSymbolAtLocation(fn.name);
  const { parent } = fn;
  const isNamed =
    (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)) &&
    parent.initializer === fn;
  return isNamed ? checker.getSymbolAtLocation(parent.name) : undefined;
}

function setImmediateFix(node: ts.CallExpression, { file }: RuleContext): Fix[] {
  const { expression } = node;
  const start = expression.getStart(file);
  return [
    {
      title: 'Use `setImmediate`',
      safe: false,
      edits: [{ start, end: expression.end, text: 'setImmediate' }],
    },
  ];
}
