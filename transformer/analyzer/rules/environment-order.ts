/** DS1109: an order that the environment decides. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { setOf } from '../check/calls.js';
import { on, type Fix, type Rule, type RuleContext } from '../check/rule.js';
import { enclosingFunction, findInside, outermost } from '../check/syntax.js';

const LISTINGS = setOf('fs.readdirSync fs.promises.readdir fs.readdir fs.globSync');
const KEYS = setOf(
  'Object.keys Object.values Object.entries Object.getOwnPropertyNames Reflect.ownKeys',
);
/** What can be done with a list whatever its order. */
const ORDERLESS = new Set('sort toSorted length includes some every size has'.split(' '));
/** What keeps the order, so that a `sort` may come later. */
const KEEPING = new Set('filter map flatMap slice concat'.split(' '));

export const environmentOrder: Rule = {
  code: 'DS1109',
  name: 'environment-order',
  severity: 'warning',
  summary: 'An order that the environment decides',
  flagged:
    'The result of `readdir` and `readdirSync` that is not sorted, and the keys of `process.env`. ' +
    'Where only the length or the membership is asked for, the order does not matter.',
  why:
    'The operating system lists a folder in whatever order its files lie there, and the environment ' +
    'in the order in which it was set: two machines go through them differently.',
  instead: 'Sort the list.',
  example: {
    bad: `import { readdirSync } from 'node:fs';

export function migrations(folder: string): void {
  for (const name of readdirSync(folder)) console.log(name);
}`,
    good: `import { readdirSync } from 'node:fs';

export function migrations(folder: string): void {
  for (const name of readdirSync(folder).sort()) console.log(name);
}`,
  },
  listeners: (ts) => [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, visitCall),
    on<ts.ForInStatement>(ts.SyntaxKind.ForInStatement, (node, context) => {
      if (context.names.of(node.expression) === 'process.env') report(node.expression, context);
    }),
  ],
};

const ENVIRONMENT =
  'The order of `process.env` is that in which the environment was set: sort the keys.';

function report(node: ts.Node, context: RuleContext): void {
  context.report(node, ENVIRONMENT);
}

function visitCall(node: ts.CallExpression, context: RuleContext): void {
  const { ts, names } = context;
  const name = names.of(node.expression);
  if (name === undefined) return;
  if (KEYS.has(name)) {
    const [object] = node.arguments;
    const isEnvironment = object !== undefined && names.of(object) === 'process.env';
    if (isEnvironment && !isOrderless(node, context)) {
      context.report(node, ENVIRONMENT, sortFix(node, node, context));
    }
    return;
  }
  if (!LISTINGS.has(name)) return;
  const callback = name === 'fs.readdir' ? node.arguments.at(-1) : undefined;
  if (callback !== undefined) {
    const isFunction = ts.isArrowFunction(callback) || ts.isFunctionExpression(callback);
    if (isFunction && !callbackSorts(callback, context)) context.report(node, listing(name));
    return;
  }
  const value = outermost(ts, node);
  if (isOrderless(value, context)) return;
  const entries = node.arguments.length > 1 && /withFileTypes/.test(node.arguments[1].getText());
  const isList = name.endsWith('Sync') || ts.isAwaitExpression(node.parent);
  if (isDropped(value, context)) return;
  const fixes = entries || !isList ? [] : sortFix(node, value, context);
  context.report(node, listing(name), fixes);
}

function listing(name: string): string {
  return `\`${name}\` lists in whatever order the file system has: sort the result.`;
}

/** Whether the callback of `readdir` has a `sort` in it. */
function callbackSorts(callback: ts.Expression, { ts }: RuleContext): boolean {
  const fn = skipOuter(ts, callback);
  if (!ts.isArrowFunction(fn) && !ts.isFunctionExpression(fn)) return false;
  const files = fn.parameters.at(1)?.name;
  return (
    files === undefined ||
    findInside(
      ts,
      fn.body,
      (one) => ts.isPropertyAccessExpression(one) && ORDERLESS.has(one.name.text),
    ) !== undefined
  );
}

/** Whether the value is not used: the call is made to see whether the folder is there. */
function isDropped(value: ts.Expression, { ts }: RuleContext): boolean {
  return ts.isExpressionStatement(value.parent);
}

/** Whether what is done with the list does not depend on its order. */
function isOrderless(list: ts.Expression, context: RuleContext): boolean {
  const { ts, checker, names } = context;
  let value = outermost(ts, list);
  for (;;) {
    const { parent } = value;
    const access = ts.isPropertyAccessExpression(parent) && parent.expression === value;
    if (!access) break;
    if (ORDERLESS.has(parent.name.text)) return true;
    const call = parent.parent;
    if (!KEEPING.has(parent.name.text) || !ts.isCallExpression(call)) return false;
    value = outermost(ts, call);
  }
  const { parent } = value;
  if (ts.isNewExpression(parent) && names.of(parent.expression) === 'Set') return true;
  // Given on: to a function that sorts, or back to the caller, who may.
  if (ts.isCallExpression(parent) && parent.arguments.includes(value)) {
    return /sort/i.test(parent.expression.getText());
  }
  if (!ts.isVariableDeclaration(parent) || !ts.isIdentifier(parent.name)) return false;
  const symbol = checker.getSymbolAtLocation(parent.name);
  const scope = enclosingFunction(ts, parent)?.body ?? parent.getSourceFile();
  return sortedLater(symbol, parent.name.text, scope, context);
}

/** Whether the variable is sorted somewhere, or never used for more than its length. */
function sortedLater(
  symbol: ts.Symbol | undefined,
  name: string,
  scope: ts.Node,
  { ts, checker }: RuleContext,
): boolean {
  let uses = 0;
  let orderless = 0;
  const sorts = findInside(ts, scope, (one) => {
    if (!ts.isIdentifier(one) || one.text !== name) return false;
    if (ts.isVariableDeclaration(one.parent) && one.parent.name === one) return false;
    if (checker.getSymbolAtLocation(one) !== symbol) return false;
    uses++;
    const { parent } = one;
    if (!ts.isPropertyAccessExpression(parent) || parent.expression !== one) return false;
    if (ORDERLESS.has(parent.name.text)) orderless++;
    return parent.name.text === 'sort' || parent.name.text === 'toSorted';
  });
  return sorts !== undefined || (uses > 0 && uses === orderless);
}

function sortFix(call: ts.CallExpression, value: ts.Expression, { ts, file }: RuleContext): Fix[] {
  const awaited = ts.isAwaitExpression(call.parent) ? call.parent : undefined;
  if (awaited === undefined) {
    return [
      {
        title: 'Sort the list',
        safe: true,
        edits: [{ start: call.end, end: call.end, text: '.sort()' }],
      },
    ];
  }
  const start = awaited.getStart(file);
  const enclosed = ts.isParenthesizedExpression(awaited.parent) || value !== awaited;
  return [
    {
      title: 'Sort the list',
      safe: true,
      edits: enclosed
        ? [{ start: value.end, end: value.end, text: '.sort()' }]
        : [
            { start, end: start, text: '(' },
            { start: awaited.end, end: awaited.end, text: ').sort()' },
          ],
    },
  ];
}
