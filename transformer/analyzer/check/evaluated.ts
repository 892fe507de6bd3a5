/** Text that a program runs as code: `eval`, `new Function`, `vm`. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import type { TypeScript } from '../sites.js';
import { callsOwnFunction } from './own-function.js';
import { on, type Listener, type RuleContext } from './rule.js';
import { isAsync } from './syntax.js';

/** What is run, and how much of it stands in the source. */
export interface Evaluated {
  readonly node: ts.CallExpression | ts.NewExpression;
  /** What runs it, such as `eval` or `new Function`. */
  readonly by: string;
  /** The parts of the text that are known. */
  readonly text: string;
  /** Whether that is all of it. */
  readonly complete: boolean;
  /** Whether the code is that of an async function whatever its text. */
  readonly async: boolean;
}

const FUNCTIONS =
  /^(?:eval|Function|vm\.(?:Script|SourceTextModule|compileFunction|runIn(?:This|New)?Context))$/;

export function onEvaluated(
  ts: TypeScript,
  visit: (evaluated: Evaluated, context: RuleContext) => void,
): readonly Listener[] {
  const see = (node: ts.CallExpression | ts.NewExpression, context: RuleContext): void => {
    const callee = context.names.of(node.expression);
    const isAsync =
      callee === undefined &&
      !callsOwnFunction(ts, context.checker, node.expression) &&
      isAsyncFunction(node.expression, context);
    if (!isAsync && (callee === undefined || !FUNCTIONS.test(callee))) return;
    const all = node.arguments ?? [];
    const texts = callee === 'Function' || isAsync ? all : all.slice(0, 1);
    const parts = texts.map((one) => textOf(one, context, 0));
    const name = callee ?? 'AsyncFunction';
    visit(
      {
        node,
        by: ts.isNewExpression(node) ? `new ${name}` : name,
        text: parts.map((one) => one.text).join(' '),
        complete: parts.every((one) => one.complete),
        async: isAsync,
      },
      context,
    );
  };
  return [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, see),
    on<ts.NewExpression>(ts.SyntaxKind.NewExpression, see),
  ];
}

interface KnownText {
  readonly text: string;
  readonly complete: boolean;
}

const DEPTH_MAX = 20;

function textOf(node: ts.Expression, context: RuleContext, depth: number): KnownText {
  const { ts, checker } = context;
  const expression = skipOuter(ts, node);
  if (ts.isStringLiteralLike(expression)) return { text: expression.text, complete: true };
  if (depth > DEPTH_MAX) return { text: '', complete: false };
  const inner = (one: ts.Expression): KnownText => textOf(one, context, depth + 1);
  if (ts.isTemplateExpression(expression)) {
    const spans = expression.templateSpans.flatMap((span) => [
      inner(span.expression),
      { text: span.literal.text, complete: true },
    ]);
    return joined([{ text: expression.head.text, complete: true }, ...spans]);
  }
  if (ts.isBinaryExpression(expression)) {
    if (expression.operatorToken.kind !== ts.SyntaxKind.PlusToken)
      return { text: '', complete: false };
    return joined([inner(expression.left), inner(expression.right)]);
  }
  if (ts.isIdentifier(expression)) {
    const declaration = checker.getSymbolAtLocation(expression)?.valueDeclaration;
    const isConst =
      declaration !== undefined &&
      ts.isVariableDeclaration(declaration) &&
      (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
    if (isConst && declaration.initializer !== undefined) return inner(declaration.initializer);
  }
  return { text: '', complete: false };
}

function joined(parts: readonly KnownText[]): KnownText {
  return {
    text: parts.map((one) => one.text).join(''),
    complete: parts.every((one) => one.complete),
  };
}

/** `Object.getPrototypeOf(async function () {}).constructor`, or a constant with that value. */
function isAsyncFunction(node: ts.Expression, context: RuleContext): boolean {
  const { ts, checker, names } = context;
  let expression = skipOuter(ts, node);
  if (ts.isIdentifier(expression)) {
    const declaration = checker.getSymbolAtLocation(expression)?.valueDeclaration;
    if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return false;
    if (declaration.initializer === undefined) return false;
    expression = skipOuter(ts, declaration.initializer);
  }
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'constructor') {
    return false;
  }
  let of = skipOuter(ts, expression.expression);
  if (ts.isCallExpression(of) && names.of(of.expression) === 'Object.getPrototypeOf') {
    of = skipOuter(ts, of.arguments[0] ?? of);
  }
  return (ts.isFunctionExpression(of) || ts.isArrowFunction(of)) && isAsync(ts, of);
}

const WAITS =
  /\b(?:await|async|Promise|set(?:Timeout|Interval|Immediate)|nextTick|queueMicrotask)\b|\.then\s*\(/;

/** Whether known text has something in it that a simulation would have to control. */
export function waits(text: string): boolean {
  return WAITS.test(text);
}
