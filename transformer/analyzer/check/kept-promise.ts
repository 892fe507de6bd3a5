/**
 * Whether a call gives back a promise that was there before it: the function does not make one, it
 * returns a property of its object or argument, or a variable around it. Such a call starts
 * nothing that its caller would have to join, and whoever holds the object has the promise.
 */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import type { RuleContext } from './rule.js';
import { enclosingFunction, findInside, isAsync } from './syntax.js';

type Fn = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

/** A call, whom it is for, and with what. */
interface Called {
  readonly fn: Fn;
  readonly receiver: ts.Expression | undefined;
  readonly given: readonly ts.Expression[];
}

/** Whether all promises that `call` can return are kept elsewhere. */
export function returnsKeptPromise(call: ts.CallExpression, context: RuleContext): boolean {
  const called = calledBy(call, context);
  if (called === undefined) return false;
  const { types, checker } = context;
  // What has no type may be anything, here as at any other call.
  const promises = returnsOf(called.fn, context).filter((one) =>
    types.isPromise(checker.getTypeAtLocation(one)),
  );
  return promises.length > 0 && promises.every((one) => isKept(one, called, context));
}

/** The function of the program that a call runs, also by `call` and `apply`. */
function calledBy(call: ts.CallExpression, { ts, checker }: RuleContext): Called | undefined {
  const callee = skipOuter(ts, call.expression);
  const access = ts.isPropertyAccessExpression(callee) ? callee : undefined;
  const direct = withBody(ts, checker.getResolvedSignature(call));
  if (direct !== undefined) {
    return { fn: direct, receiver: access?.expression, given: call.arguments };
  }
  if (access === undefined || !/^(?:call|apply)$/.test(access.name.text)) return undefined;
  const signatures = checker.getTypeAtLocation(access.expression).getCallSignatures();
  const fn = signatures.length === 1 ? withBody(ts, signatures[0]) : undefined;
  const [receiver, ...given] = call.arguments;
  return fn && { fn, receiver, given: access.name.text === 'call' ? given : [] };
}

function withBody(ts: RuleContext['ts'], signature: ts.Signature | undefined): Fn | undefined {
  const fn = signature?.declaration as Fn | undefined;
  if (fn?.body === undefined || isAsync(ts, fn) || fn.asteriskToken !== undefined) return undefined;
  return fn;
}

function returnsOf({ body }: Fn, { ts }: RuleContext): readonly ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  const found: ts.Expression[] = [];
  findInside(ts, body, (one) => {
    if (ts.isReturnStatement(one) && one.expression !== undefined) found.push(one.expression);
    return false;
  });
  return found;
}

function isKept(returned: ts.Expression, called: Called, context: RuleContext): boolean {
  const { ts, checker } = context;
  const value = skipOuter(ts, returned);
  if (isAssigned(value, called.fn, context)) return false;
  if (!ts.isPropertyAccessExpression(value)) {
    return ts.isIdentifier(value) && isAround(value, called.fn, context);
  }
  const property = checker.getSymbolAtLocation(value.name);
  // A getter may make a promise each time.
  if (property === undefined || (property.flags & ts.SymbolFlags.Accessor) !== 0) return false;
  let owner: ts.Expression = value;
  while (ts.isPropertyAccessExpression(owner)) owner = skipOuter(ts, owner.expression);
  if (owner.kind === ts.SyntaxKind.ThisKeyword) {
    return called.receiver === undefined || lasts(called.receiver, context);
  }
  if (!ts.isIdentifier(owner)) return false;
  const declaration = checker.getSymbolAtLocation(owner)?.valueDeclaration;
  const position = called.fn.parameters.indexOf(declaration as ts.ParameterDeclaration);
  if (position < 0) return isAround(owner, called.fn, context);
  const argument = called.given.at(position);
  return argument !== undefined && lasts(argument, context);
}

/** Whether others can hold what an expression gives: it is not made in this place. */
function lasts(node: ts.Expression, { ts }: RuleContext): boolean {
  const value = skipOuter(ts, node);
  return (
    value.kind === ts.SyntaxKind.ThisKeyword ||
    ts.isIdentifier(value) ||
    ts.isPropertyAccessExpression(value) ||
    ts.isElementAccessExpression(value)
  );
}

/** Whether a name is that of a variable outside of the function. */
function isAround(name: ts.Identifier, fn: Fn, { ts, checker }: RuleContext): boolean {
  const declaration = checker.getSymbolAtLocation(name)?.valueDeclaration;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return false;
  return enclosingFunction(ts, declaration) !== fn;
}

/** Whether the function puts the promise where it returns it from: `this.ready ??= open()`. */
function isAssigned(value: ts.Expression, fn: Fn, { ts }: RuleContext): boolean {
  const { FirstAssignment, LastAssignment } = ts.SyntaxKind;
  const text = value.getText();
  const assigns = (one: ts.Node): boolean =>
    ts.isBinaryExpression(one) &&
    one.operatorToken.kind >= FirstAssignment &&
    one.operatorToken.kind <= LastAssignment &&
    skipOuter(ts, one.left).getText() === text;
  return findInside(ts, fn.body, assigns) !== undefined;
}
