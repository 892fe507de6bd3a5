/**
 * Whether a task may have waited between the last mention of a variable and its use: what the
 * variable holds may have gone on meanwhile.
 */

import type ts from 'typescript';
import type { RuleContext } from './rule.js';
import { enclosingFunction, findInside } from './syntax.js';

/** The await, or undefined when there is none. */
export function awaitBefore(use: ts.Identifier, context: RuleContext): ts.Node | undefined {
  const { ts, checker, file } = context;
  const body = enclosingFunction(ts, use)?.body ?? file;
  const symbol = checker.getSymbolAtLocation(use);
  if (symbol === undefined) return undefined;
  const last = lastMention(use, symbol, body, context);
  if (last === undefined) return undefined;
  return findInside(ts, body, (one) => {
    const waits =
      ts.isAwaitExpression(one) || (ts.isForOfStatement(one) && one.awaitModifier !== undefined);
    if (!waits || one.getStart(file) < last || one.end > use.getStart(file)) return false;
    return leadsTo(one, use, context);
  });
}

/** Where the last mention before `use` ends; a parameter is mentioned where the body begins. */
function lastMention(
  use: ts.Identifier,
  symbol: ts.Symbol,
  body: ts.Node,
  { ts, checker, file }: RuleContext,
): number | undefined {
  const declaration = symbol.valueDeclaration;
  const isParameter = declaration !== undefined && ts.isParameter(declaration);
  const isOwn = isParameter && (declaration.parent as ts.FunctionLikeDeclaration).body === body;
  let last = isOwn ? body.getStart(file) : undefined;
  const waiting: ts.Node[] = [body];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.pos >= use.pos) continue;
    if (ts.isIdentifier(one) && one !== use && one.text === use.text) {
      if (checker.getSymbolAtLocation(one) === symbol) last = Math.max(last ?? 0, endOf(one, ts));
    }
    ts.forEachChild(one, (child) => void waiting.push(child));
  }
  return last;
}

/** The end of the mention: a declaration counts with its value. */
function endOf(mention: ts.Identifier, ts: RuleContext['ts']): number {
  let node: ts.Node = mention;
  while (!ts.isStatement(node.parent) && !ts.isSourceFile(node.parent)) {
    if (ts.isFunctionLike(node.parent)) break;
    node = node.parent;
  }
  return node.end;
}

/** Whether `use` can come after `wait`: they are in no two branches, and nothing leaves between. */
function leadsTo(wait: ts.Node, use: ts.Node, { ts }: RuleContext): boolean {
  let child: ts.Node = wait;
  for (let node = wait.parent; ; child = node, node = node.parent) {
    const common = node.pos <= use.pos && use.end <= node.end;
    if (!common) {
      if (ts.isBlock(node) && leaves(ts, node.statements.at(-1))) return false;
      if (ts.isCaseOrDefaultClause(node) && leaves(ts, node.statements.at(-1))) return false;
      if (ts.isReturnStatement(node) || ts.isThrowStatement(node)) return false;
      if (ts.isCatchClause(node)) return false;
      continue;
    }
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      return child === condition;
    }
    return !ts.isCaseBlock(node) && !ts.isTryStatement(node);
  }
}

function leaves(ts: RuleContext['ts'], statement: ts.Statement | undefined): boolean {
  return (
    statement !== undefined &&
    (ts.isReturnStatement(statement) ||
      ts.isThrowStatement(statement) ||
      ts.isContinueStatement(statement) ||
      ts.isBreakStatement(statement))
  );
}
