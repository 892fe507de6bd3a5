/**
 * Puts a frame around the body of an async function:
 *
 *     const $f = $d.enter($s + 0);
 *     try { BODY } finally { $f.exit(); }
 */

import type ts from 'typescript';
import type { TypeScript } from '../analyzer/index.js';
import type { Hooks } from './hooks.js';

export class Frames {
  constructor(
    private readonly ts: TypeScript,
    private readonly factory: ts.NodeFactory,
    private readonly hooks: Hooks,
  ) {}

  /** `const $f = $d.enter($s + site);` */
  enter(site: number): ts.Statement {
    const { hooks } = this;
    return hooks.constant(hooks.names.frame, hooks.runtime('enter', [hooks.site(site)]));
  }

  /** `$f.exit();` */
  exit(): ts.Statement {
    return this.factory.createExpressionStatement(this.hooks.frame('exit', []));
  }

  /** The visited body of an async function, with its frame; `first` goes to its head. */
  wrapBlock(body: ts.Block, site: number, first: readonly ts.Statement[]): ts.Block {
    const { ts, factory } = this;
    const [prologue, rest] = splitPrologue(ts, body.statements);
    const inner = ts.setTextRange(factory.createNodeArray([...first, ...rest]), body.statements);
    const statements = [...prologue, ...this.around(site, factory.createBlock(inner, true))];
    return factory.updateBlock(
      body,
      ts.setTextRange(factory.createNodeArray(statements), body.statements),
    );
  }

  /** The same for the visited expression that is the body of an arrow function. */
  wrapExpression(body: ts.Expression, site: number): ts.Block {
    const { ts, factory } = this;
    const result = ts.setTextRange(factory.createReturnStatement(body), body);
    const block = factory.createBlock(this.around(site, factory.createBlock([result], true)), true);
    return ts.setTextRange(block, body);
  }

  private around(site: number, body: ts.Block): ts.Statement[] {
    const { factory } = this;
    const leave = factory.createBlock([this.exit()], true);
    return [this.enter(site), factory.createTryStatement(body, undefined, leave)];
  }
}

/** Separates directives such as "use strict" from the statements after them. */
export function splitPrologue(
  ts: TypeScript,
  statements: readonly ts.Statement[],
): [prologue: readonly ts.Statement[], rest: readonly ts.Statement[]] {
  const isDirective = (statement: ts.Statement): boolean =>
    ts.isExpressionStatement(statement) && ts.isStringLiteral(statement.expression);
  const length = statements.findIndex((statement) => !isDirective(statement));
  return length === -1 ? [statements, []] : [statements.slice(0, length), statements.slice(length)];
}
