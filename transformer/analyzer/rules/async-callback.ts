/** DS1103: async callbacks whose promise nobody looks at. */

import type ts from 'typescript';
import { setOf } from '../check/calls.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';
import { isAsync } from '../check/syntax.js';
import { skipOuter } from '../outer-expressions.js';

const TIMERS = setOf('setTimeout setInterval setImmediate process.nextTick queueMicrotask');
const SERVERS = setOf(
  'http.createServer https.createServer http2.createServer http2.createSecureServer ' +
    'net.createServer tls.createServer',
);
const FOR_EACH =
  /^(?:(?:Readonly)?(?:Array|Map|Set)|\w+Array|URLSearchParams|Headers|FormData)\.forEach$/;
const LISTENING = /^(?:on|once|addListener|prependListener|prependOnceListener)$/;

export const asyncCallback: Rule = {
  code: 'DS1103',
  name: 'async-callback',
  severity: 'warning',
  summary: 'An async callback for something that ignores its promise',
  flagged:
    'A function that returns a promise, given to `forEach`, to a timer, to `on` and its like of an ' +
    'emitter, to `addEventListener`, to `createServer`, or to `new Promise`.',
  why:
    'Each call starts a task that nobody joins: the next call does not wait for it, a test can end ' +
    'before it, and when it fails the rejection is unhandled.',
  instead:
    'For `forEach` use `for … of` with `await`, or `Promise.all` over `map`. Elsewhere catch what can ' +
    'fail inside, and keep the promise where something can wait for it.',
  example: {
    bad: `declare function send(user: string): Promise<void>;

export async function notify(users: string[]): Promise<void> {
  users.forEach(async (user) => {
    await send(user);
  });
}`,
    good: `declare function send(user: string): Promise<void>;

export async function notify(users: string[]): Promise<void> {
  for (const user of users) await send(user);
}`,
  },
  listeners: (ts) => [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, (node, context) => {
      const found = callbackOf(node, context);
      if (found !== undefined) visit(found.callback, found.to, context);
    }),
    on<ts.NewExpression>(ts.SyntaxKind.NewExpression, (node, context) => {
      const [executor] = node.arguments ?? [];
      if (executor === undefined || context.names.of(node.expression) !== 'Promise') return;
      visit(executor, 'new Promise', context);
    }),
  ],
};

function visit(callback: ts.Expression, to: string, context: RuleContext): void {
  const { ts, report } = context;
  const fn = skipOuter(ts, callback);
  const isFunction = ts.isFunctionExpression(fn) || ts.isArrowFunction(fn);
  const isTask = isFunction && isAsync(ts, fn) && fn.asteriskToken === undefined;
  if (!isTask && !returnsPromise(fn, context)) return;
  report(
    isFunction ? firstToken(fn, context) : fn,
    `\`${to}\` ignores the promise that this callback returns, so each call is a task that nobody ` +
      'joins: handle what can fail inside, and wait for it where it matters.',
  );
}

function returnsPromise(fn: ts.Expression, { ts, types, checker }: RuleContext): boolean {
  if (!ts.isFunctionExpression(fn) && !ts.isArrowFunction(fn)) {
    return types.returnsPromise(checker.getTypeAtLocation(fn));
  }
  const signature = checker.getSignatureFromDeclaration(fn);
  return signature !== undefined && types.isPromise(checker.getReturnTypeOfSignature(signature));
}

/** The head of a function: a whole body underlined says less. */
function firstToken(fn: ts.FunctionExpression | ts.ArrowFunction, { ts }: RuleContext): ts.Node {
  const modifier = fn.modifiers?.find((one) => one.kind === ts.SyntaxKind.AsyncKeyword);
  return modifier ?? fn;
}

interface Callback {
  readonly callback: ts.Expression;
  /** What it is given to. */
  readonly to: string;
}

function callbackOf(call: ts.CallExpression, context: RuleContext): Callback | undefined {
  const { ts, names, types, checker } = context;
  const [first, second] = call.arguments;
  if (first === undefined) return undefined;
  const name = names.of(call.expression);
  const callee = skipOuter(ts, call.expression);
  const method = ts.isPropertyAccessExpression(callee) ? callee : undefined;
  if (name !== undefined) {
    if (TIMERS.has(name)) return { callback: first, to: name };
    if (FOR_EACH.test(name)) return { callback: first, to: 'forEach' };
    if (SERVERS.has(name)) return { callback: call.arguments[call.arguments.length - 1], to: name };
  }
  if (method === undefined || second === undefined) return undefined;
  const wanted = LISTENING.test(method.name.text)
    ? ['events.EventEmitter']
    : method.name.text === 'addEventListener'
      ? ['EventTarget', 'AbortSignal']
      : undefined;
  if (wanted === undefined) return undefined;
  const listens = types.inherits(checker.getTypeAtLocation(method.expression), ...wanted);
  return listens ? { callback: second, to: method.name.text } : undefined;
}
