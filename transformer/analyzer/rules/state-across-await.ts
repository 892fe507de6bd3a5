/** DS1104: state that another task can see or change while this one waits. */

import type ts from 'typescript';
import { assignedState, reads } from '../check/state.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';
import { enclosingFunction, findInside, givesWay } from '../check/syntax.js';
import { skipOuter } from '../outer-expressions.js';

export const stateAcrossAwait: Rule = {
  code: 'DS1104',
  name: 'state-across-await',
  severity: 'warning',
  summary: 'An await in a section that another task can enter',
  flagged:
    'An `await` in a `finally` block before the statement that resets a member of `this` or an outer ' +
    'variable; and a flag that is checked, and set only after an `await`, with no second check.',
  why:
    'While one task waits there, another finds the flag as it was: it is locked out although the work ' +
    'is over, or gets in although someone is inside. Which of them comes first is open.',
  instead:
    'Reset or set the flag before the `await`; keep the promise itself where others shall wait.',
  example: {
    bad: `export class Feed {
  private open = false;

  async start(connect: () => Promise<void>): Promise<void> {
    if (this.open) return;
    await connect();
    this.open = true;
  }
}`,
    good: `export class Feed {
  private opened: Promise<void> | undefined;

  start(connect: () => Promise<void>): Promise<void> {
    return (this.opened ??= connect());
  }
}`,
  },
  listeners: (ts) => [
    on<ts.TryStatement>(ts.SyntaxKind.TryStatement, ({ finallyBlock }, context) => {
      if (finallyBlock !== undefined) visitFinally(finallyBlock, context);
    }),
    on<ts.IfStatement>(ts.SyntaxKind.IfStatement, visitCheck),
  ],
};

function visitFinally(block: ts.Block, context: RuleContext): void {
  const { ts, report } = context;
  const waits = block.statements.findIndex((one) => givesWay(ts, one));
  if (waits < 0) return;
  for (const statement of block.statements.slice(waits + 1)) {
    const assigned = assignedState(statement, context);
    if (assigned === undefined || !isReset(assigned.value, context)) continue;
    report(
      awaitIn(block.statements[waits], context),
      `Another task still finds \`${assigned.state}\` as it was while this one waits here: ` +
        'reset it before the `await`.',
    );
    return;
  }
}

/** Whether a value is one that a flag is put back to. */
function isReset(value: ts.Expression, { ts }: RuleContext): boolean {
  const { SyntaxKind } = ts;
  const { kind } = value;
  return (
    kind === SyntaxKind.FalseKeyword ||
    kind === SyntaxKind.TrueKeyword ||
    kind === SyntaxKind.NullKeyword ||
    kind === SyntaxKind.NumericLiteral ||
    (ts.isIdentifier(value) && value.text === 'undefined')
  );
}

/** `if (flag) return; … await …; flag = true;` and `if (!it) it = await make();` */
function visitCheck(check: ts.IfStatement, context: RuleContext): void {
  const { ts, report } = context;
  const tested = testedBy(check.expression, context);
  if (tested.length === 0 || givesWay(ts, check.expression)) return;
  const message = (state: string): string =>
    `Between the check of \`${state}\` and its change other tasks run, and pass the same check: ` +
    'change it before the `await`.';
  const inside = ts.isBlock(check.thenStatement)
    ? check.thenStatement.statements
    : [check.thenStatement];
  const find = (statements: readonly ts.Statement[]): ReturnType<typeof setAfterWait> =>
    statements.some((one) => assignsTo(one, tested, context))
      ? setAfterWait(statements, check, context)
      : undefined;
  const found =
    find(inside) ?? (leaves(check, context) ? find(statementsAfter(check, context)) : undefined);
  if (found !== undefined && !isLocked(check, context)) report(found.wait, message(found.state));
}

/** The first state of the check that is set after an await, with no other look at it before. */
function setAfterWait(
  statements: readonly ts.Statement[],
  check: ts.IfStatement,
  context: RuleContext,
): { readonly state: string; readonly wait: ts.Node } | undefined {
  const { ts } = context;
  let wait: ts.Node | undefined;
  for (const [i, statement] of statements.entries()) {
    const assigned = assignedState(statement, context);
    // A change before anyone else can come closes the gate.
    if (assigned !== undefined && wait === undefined && !givesWay(ts, statement)) {
      if (checks(check, assigned.state, context)) return undefined;
    }
    const first = wait ?? (givesWay(ts, statement) ? awaitIn(statement, context) : undefined);
    if (assigned !== undefined && first !== undefined && checks(check, assigned.state, context)) {
      const seen = statements.slice(0, i).some((one) => reads(one, assigned.state, context));
      const joins = wait === undefined && awaitsWhatIsThere(assigned.value, context);
      if (!seen && !joins && !reads(assigned.value, assigned.state, context)) {
        return { state: assigned.state, wait: first };
      }
    }
    wait = first;
  }
  return undefined;
}

/** `x = await this.promise`: whoever comes by gets the same. */
function awaitsWhatIsThere(value: ts.Expression, { ts }: RuleContext): boolean {
  const inner = skipOuter(ts, value);
  if (!ts.isAwaitExpression(inner)) return false;
  const operand = skipOuter(ts, inner.expression);
  return ts.isIdentifier(operand) || ts.isPropertyAccessExpression(operand);
}

/** Whether the condition is about the state itself: `x`, `!x`, `x === …`, with `&&` and `||`. */
function checks({ expression }: ts.IfStatement, state: string, context: RuleContext): boolean {
  const { ts, file } = context;
  if (!testedBy(expression, context).includes(state)) return false;
  const isState = (node: ts.Node): boolean => node.getText(file) === state;
  // What a method of it says is more than the state itself can tell.
  const asks = findInside(
    ts,
    expression,
    (node) => ts.isPropertyAccessExpression(node) && isState(node.expression),
  );
  return asks === undefined;
}

/** The texts of what a condition is about: the names and members that it tests. */
function testedBy(node: ts.Expression, context: RuleContext): readonly string[] {
  const { ts, file } = context;
  const inner = skipOuter(ts, node);
  if (ts.isPrefixUnaryExpression(inner)) return testedBy(inner.operand, context);
  if (ts.isIdentifier(inner)) return [inner.text];
  if (ts.isPropertyAccessExpression(inner)) return [inner.getText(file)];
  if (!ts.isBinaryExpression(inner)) return [];
  const operator = inner.operatorToken.getText(file);
  if (operator === '&&' || operator === '||') {
    return [...testedBy(inner.left, context), ...testedBy(inner.right, context)];
  }
  return /^[!=]==?$/.test(operator) ? [inner.left.getText(file), inner.right.getText(file)] : [];
}

/** Whether a statement is an assignment to one of the names and members, by their texts. */
function assignsTo(
  statement: ts.Statement,
  texts: readonly string[],
  { ts, file }: RuleContext,
): boolean {
  if (!ts.isExpressionStatement(statement)) return false;
  const expression = skipOuter(ts, statement.expression);
  return (
    ts.isBinaryExpression(expression) &&
    expression.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    texts.includes(skipOuter(ts, expression.left).getText(file))
  );
}

/** Whether the code runs in a section that a lock keeps others out of, as far as names tell. */
function isLocked(node: ts.Node, { ts, file }: RuleContext): boolean {
  const fn = enclosingFunction(ts, node);
  if (fn === undefined) return false;
  const head = file.text.slice(fn.getStart(file), node.getStart(file));
  const { parent } = fn;
  const around = ts.isCallExpression(parent) ? parent.expression.getText(file) : '';
  return (
    LOCKS.test(head) ||
    LOCKS.test(around) ||
    /^(?:shared|serial|exclusive|with\w*Lock)/i.test(around)
  );
}

const LOCKS =
  /(?:lock|mutex|semaphore)\w*\.(?:acquire|lock|wait|run\w*|use)\b|\b(?:runExclusive|withLock)\b/i;

/** Whether what follows runs only when the condition does not hold. */
function leaves({ thenStatement }: ts.IfStatement, { ts }: RuleContext): boolean {
  const last = ts.isBlock(thenStatement) ? thenStatement.statements.at(-1) : thenStatement;
  return last !== undefined && (ts.isReturnStatement(last) || ts.isThrowStatement(last));
}

function statementsAfter(check: ts.IfStatement, { ts }: RuleContext): readonly ts.Statement[] {
  const { parent } = check;
  if (!ts.isBlock(parent)) return [];
  return parent.statements.slice(parent.statements.indexOf(check) + 1);
}

function awaitIn(node: ts.Node, { ts }: RuleContext): ts.Node {
  return (
    findInside(ts, node, (one) => ts.isAwaitExpression(one) || ts.isYieldExpression(one)) ?? node
  );
}
