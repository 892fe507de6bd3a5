/** DS1101: loops that wait by reading the clock. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { setOf } from '../check/calls.js';
import { on, type Fix, type Rule, type RuleContext } from '../check/rule.js';
import { findInside, givesWay, mayAwait } from '../check/syntax.js';

const CLOCKS = setOf(
  'Date.now performance.now process.hrtime process.hrtime.bigint process.uptime os.uptime',
);
/** Clocks in milliseconds, as a timer wants them. */
const MILLISECONDS = setOf('Date.now performance.now');

type Loop = ts.WhileStatement | ts.DoStatement | ts.ForStatement;

export const clockPolling: Rule = {
  code: 'DS1101',
  name: 'clock-polling',
  severity: 'warning',
  summary: 'A loop that polls the clock',
  flagged:
    'A `while`, `do` or `for` loop that reads the clock in its condition, or in an `if` that leaves ' +
    'an endless loop, and does not await or yield.',
  why:
    'Synchronous code takes no virtual time, so the clock stands still in the loop. detsim moves it ' +
    'after many reads, to get the loop to its end; how many rounds it makes then means nothing.',
  instead: 'Await a timer.',
  example: {
    bad: `export async function pause(ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (Date.now() < end) {}
}`,
    good: `import { setTimeout } from 'node:timers/promises';

export async function pause(ms: number): Promise<void> {
  await setTimeout(ms);
}`,
  },
  listeners: (ts) => [
    on<ts.WhileStatement>(ts.SyntaxKind.WhileStatement, (node, context) =>
      visit(node, node.expression, context),
    ),
    on<ts.DoStatement>(ts.SyntaxKind.DoStatement, (node, context) =>
      visit(node, node.expression, context),
    ),
    on<ts.ForStatement>(ts.SyntaxKind.ForStatement, (node, context) =>
      visit(node, node.condition, context),
    ),
  ],
};

function visit(loop: Loop, condition: ts.Expression | undefined, context: RuleContext): void {
  const { ts, report } = context;
  const endless = condition === undefined || condition.kind === ts.SyntaxKind.TrueKeyword;
  const clock = endless ? clockOfExit(loop.statement, context) : clockIn(condition, context);
  if (clock === undefined || givesWay(ts, loop)) return;
  report(
    clock,
    'This loop polls the clock, which stands still while synchronous code runs in a simulation: ' +
      'await a timer instead.',
    condition === undefined ? [] : fixesFor(loop, condition, context),
  );
}

/** The first read of a clock inside `node`. */
function clockIn(node: ts.Node, { ts, names }: RuleContext): ts.Node | undefined {
  return findInside(ts, node, (one) => {
    if (ts.isCallExpression(one)) return CLOCKS.has(names.of(one.expression) ?? '');
    const makesDate = ts.isNewExpression(one) && (one.arguments ?? []).length === 0;
    return makesDate && names.of(one.expression) === 'Date';
  });
}

/** The clock that an `if` reads to leave an endless loop. */
function clockOfExit(body: ts.Statement, context: RuleContext): ts.Node | undefined {
  const { ts } = context;
  let clock: ts.Node | undefined;
  findInside(ts, body, (one) => {
    if (!ts.isIfStatement(one)) return false;
    const leaves = findInside(
      ts,
      one.thenStatement,
      (inner) => ts.isBreakStatement(inner) || ts.isReturnStatement(inner),
    );
    clock = leaves && clockIn(one.expression, context);
    return clock !== undefined;
  });
  return clock;
}

/** A loop that does nothing but wait, in a function that may await. */
function fixesFor(loop: Loop, condition: ts.Expression, context: RuleContext): Fix[] {
  const { ts, file } = context;
  const { statement } = loop;
  const isEmpty =
    ts.isEmptyStatement(statement) || (ts.isBlock(statement) && statement.statements.length === 0);
  if (!isEmpty || ts.isForStatement(loop) || !mayAwait(ts, loop)) return [];
  const rest = timeLeft(condition, context);
  if (rest === undefined) return [];
  const text = `await new Promise((resolve) => setTimeout(resolve, ${rest}));`;
  return [
    {
      title: 'Await a timer',
      safe: true,
      edits: [{ start: loop.getStart(file), end: loop.end, text }],
    },
  ];
}

/** The milliseconds that are left, for `now() < end` and `now() - start < duration`. */
function timeLeft(condition: ts.Expression, context: RuleContext): string | undefined {
  const { ts, names, file } = context;
  const { SyntaxKind } = ts;
  const isClock = (node: ts.Expression): boolean =>
    ts.isCallExpression(node) && MILLISECONDS.has(names.of(node.expression) ?? '');
  if (!ts.isBinaryExpression(condition)) return undefined;
  const { kind } = condition.operatorToken;
  if (kind !== SyntaxKind.LessThanToken && kind !== SyntaxKind.LessThanEqualsToken)
    return undefined;
  const left = skipOuter(ts, condition.left);
  const limit = condition.right.getText(file);
  if (isClock(left)) return `${limit} - ${left.getText(file)}`;
  const elapses =
    ts.isBinaryExpression(left) &&
    left.operatorToken.kind === SyntaxKind.MinusToken &&
    isClock(skipOuter(ts, left.left));
  return elapses ? `${limit} - (${left.getText(file)})` : undefined;
}
