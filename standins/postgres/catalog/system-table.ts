/**
 * A table of the system's: its columns, and its rows as they are when somebody reads them.
 */

import type { Relation } from '../engine/database.js';
import type { Table } from '../engine/table.js';
import type { Run } from '../sql/expr.js';
import type { Type } from '../types/type.js';

export interface SystemTable {
  readonly columns: readonly {
    readonly name: string;
    readonly type: Type;
    readonly typmod: readonly number[];
  }[];
  rows(run: Run): any[][];
}

export function table(
  columns: Record<string, Type>,
  rows: (run: Run) => Record<string, any>[],
): SystemTable {
  const names = Object.keys(columns);
  return {
    columns: names.map((name) => ({ name, type: columns[name]!, typmod: [] })),
    rows: (run) => rows(run).map((row) => names.map((name) => row[name] ?? null)),
  };
}

export function relations(run: Run): Relation[] {
  return run.db.all('relation', run.transaction).map(({ object }) => object as Relation);
}

/** Tables and views. */
export function tables(run: Run): Table[] {
  return relations(run).flatMap((one) =>
    one.kind === 'table' || one.kind === 'view' ? [one.object] : [],
  );
}
