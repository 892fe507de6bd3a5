/** A condition taken apart at its ANDs, each part with the rows that it depends on. */

import * as t from '../types/types.js';
import type { Expr } from './expr.js';
import { compile, compileAs } from './expressions.js';
import { binary } from './operations.js';
import type { Scope } from './scope.js';
import { strings } from './tree.js';

export interface Conjunct {
  readonly expr: Expr;
  /** Entries of its own level. */
  readonly dependencies: ReadonlySet<number>;
  /** Of an equality: what its two sides depend on. */
  readonly sides?: readonly [ReadonlySet<number>, ReadonlySet<number>];
}

export function conjuncts(node: any, scope: Scope, what: string): Conjunct[] {
  if (node.BoolExpr?.boolop === 'AND_EXPR') {
    return node.BoolExpr.args.flatMap((arg: any) => conjuncts(arg, scope, what));
  }
  const operator = node.A_Expr;
  const isEquality =
    operator?.kind === 'AEXPR_OP' &&
    operator.lexpr !== undefined &&
    strings(operator.name).at(-1) === '=' &&
    operator.lexpr.RowExpr === undefined;
  if (isEquality) {
    const [left, leftOn] = tracked(scope, () => compile(operator.lexpr, scope));
    const [right, rightOn] = tracked(scope, () => compile(operator.rexpr, scope));
    const expr = binary('=', left, right, scope, operator.location ?? 0);
    return [{ expr, dependencies: new Set([...leftOn, ...rightOn]), sides: [leftOn, rightOn] }];
  }
  const [expr, dependencies] = tracked(scope, () => compileAs(node, scope, t.BOOL, what));
  return [{ expr, dependencies }];
}

function tracked(scope: Scope, make: () => Expr): [Expr, Set<number>] {
  const outer = scope.dependencies;
  const dependencies = new Set<number>();
  scope.dependencies = dependencies;
  try {
    return [make(), dependencies];
  } finally {
    scope.dependencies = outer;
    for (const entry of dependencies) outer?.add(entry);
  }
}
