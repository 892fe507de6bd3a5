/** ORDER BY. */

import { unsupported } from '../errors.js';
import type { Expr, Frame } from './expr.js';
import { settle } from './expressions.js';
import type { Scope } from './scope.js';

export interface SortKey {
  readonly expr: Expr;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export function sortKeys(
  nodes: readonly any[],
  compileItem: (node: any) => Expr,
  scope: Scope,
): SortKey[] {
  return nodes.map(({ SortBy: by }) => {
    if (by.useOp !== undefined) throw unsupported('ORDER BY … USING');
    const descending = by.sortby_dir === 'SORTBY_DESC';
    const nulls = by.sortby_nulls;
    const nullsFirst =
      nulls === 'SORTBY_NULLS_FIRST' || (nulls === 'SORTBY_NULLS_DEFAULT' && descending);
    return { expr: settle(compileItem(by.node), scope), descending, nullsFirst };
  });
}

export function compareKeys(
  keys: readonly SortKey[],
  a: readonly any[],
  b: readonly any[],
): number {
  for (let i = 0; i < keys.length; i += 1) {
    const { expr, descending, nullsFirst } = keys[i]!;
    const [x, y] = [a[i], b[i]];
    if (x === null || y === null) {
      if (x === y) continue;
      return (x === null) === nullsFirst ? -1 : 1;
    }
    const order = expr.type.compare(x, y);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/** The frames in order; equal ones stay as they are. */
export function compareBy(frames: readonly Frame[], keys: readonly SortKey[]): Frame[] {
  return frames
    .map((frame) => ({ frame, values: keys.map((key) => key.expr.ev(frame)) }))
    .sort((a, b) => compareKeys(keys, a.values, b.values))
    .map(({ frame }) => frame);
}
