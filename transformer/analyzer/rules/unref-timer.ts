/** DS1111: timers that do not keep the program alive, and carry work that someone waits for. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';
import { findInside, isAsync } from '../check/syntax.js';

const MESSAGE =
  'This timer does not keep the program alive, and someone may wait for what it does: ' +
  'leave `unref` out, or make sure that nobody waits for it.';

export const unrefTimer: Rule = {
  code: 'DS1111',
  name: 'unref-timer',
  severity: 'warning',
  summary: 'An unref’d timer that carries work',
  flagged:
    '`unref` of a timer whose callback is async or settles a promise, and `ref: false` of an awaited ' +
    'timer of `node:timers/promises`. A timer that only tidies up is left alone.',
  why:
    'When nothing else is left to do the program ends without running it. Whether it runs depends on ' +
    'what else happens to be pending, and who awaits it waits for ever.',
  instead: 'Leave `unref` out, and clear the timer when it is no longer needed.',
  example: {
    bad: `export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}`,
    good: `export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}`,
  },
  listeners: (ts) => [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, (node, context) => {
      const callee = node.expression;
      if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'unref') {
        const timer = timerOf(callee.expression, context, 0);
        if (timer !== undefined && carriesWork(timer, context))
          context.report(callee.name, MESSAGE);
        return;
      }
      const option = refOption(node, context);
      if (option !== undefined) context.report(option, MESSAGE);
    }),
  ],
};

/** The call that has made a timer. */
function timerOf(
  node: ts.Expression,
  context: RuleContext,
  depth: number,
): ts.CallExpression | undefined {
  const { ts, names, checker } = context;
  const timer = skipOuter(ts, node);
  if (ts.isCallExpression(timer)) {
    return /^set(?:Timeout|Interval)$/.test(names.of(timer.expression) ?? '') ? timer : undefined;
  }
  if (!ts.isIdentifier(timer) || depth > 5) return undefined;
  const declaration = checker.getSymbolAtLocation(timer)?.valueDeclaration;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  return declaration.initializer && timerOf(declaration.initializer, context, depth + 1);
}

/** Whether the callback is async, or settles the promise of the executor around it. */
function carriesWork(timer: ts.CallExpression, context: RuleContext): boolean {
  const { ts, types, checker } = context;
  const callback = timer.arguments[0] && skipOuter(ts, timer.arguments[0]);
  if (callback === undefined) return false;
  if (settles(callback, context)) return true;
  if (ts.isArrowFunction(callback) || ts.isFunctionExpression(callback)) {
    if (isAsync(ts, callback)) return true;
    const call = findInside(
      ts,
      callback.body,
      (one) => ts.isCallExpression(one) && settles(one.expression, context),
    );
    if (call !== undefined) return true;
  }
  return types.returnsPromise(checker.getTypeAtLocation(callback));
}

/** Whether `node` is a parameter of the function given to `new Promise`. */
function settles(node: ts.Expression, { ts, checker, names }: RuleContext): boolean {
  if (!ts.isIdentifier(node)) return false;
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration;
  if (declaration === undefined || !ts.isParameter(declaration)) return false;
  // One that rejects is a time limit, which ends with the work that it limits.
  const executor = declaration.parent;
  if (executor.parameters[0] !== declaration) return false;
  return ts.isNewExpression(executor.parent) && names.of(executor.parent.expression) === 'Promise';
}

/** `ref: false` in the options of a timer of node:timers/promises. */
function refOption(call: ts.CallExpression, { ts, names }: RuleContext): ts.Node | undefined {
  const options = call.arguments.at(-1);
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return undefined;
  if (!/^timers\/promises\.set/.test(names.of(call.expression) ?? '')) return undefined;
  return options.properties.find(
    (one) =>
      ts.isPropertyAssignment(one) &&
      ts.isIdentifier(one.name) &&
      one.name.text === 'ref' &&
      one.initializer.kind === ts.SyntaxKind.FalseKeyword,
  );
}
