/**
 * Names in a query: what its FROM clause brings, and what stands around it. It notes as well which
 * rows an expression depends on, so that conditions are tested as early as they can be.
 */

import type { LockMode } from '../engine/locks.js';
import type { Database } from '../engine/database.js';
import type { Table } from '../engine/table.js';
import type { Transaction } from '../engine/transaction.js';
import { SqlError } from '../errors.js';
import type { Session } from '../session/session.js';
import { Row } from '../types/type.js';
import * as t from '../types/types.js';
import type {
  Parameters,
  Expr,
  Frame,
  OutputColumn,
  Plan,
  RangeEntry,
  Run,
  StarColumn,
} from './expr.js';

/** What the analysis of one statement shares. */
export class Analysis {
  /** Queries that may wait, and are run before the rest. */
  readonly before: Plan[] = [];
  /** The tables that it uses, and how strong a lock each needs. */
  readonly tables = new Map<Table, LockMode>();

  constructor(
    readonly db: Database,
    readonly session: Session,
    readonly transaction: Transaction | undefined,
    readonly parameters: Parameters,
  ) {}

  uses(table: Table, mode: LockMode): void {
    const order = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock'];
    const known = this.tables.get(table);
    if (known === undefined || order.indexOf(known) < order.indexOf(mode))
      this.tables.set(table, mode);
  }
}

export interface Cte {
  readonly name: string;
  readonly columns: readonly OutputColumn[];
  rows(run: Run, frame: Frame | undefined): any[][];
  /** Of WITH RECURSIVE, while its own query is analysed. */
  readonly recursive?: boolean;
}

export interface AggregateCall {
  readonly key: string;
  readonly over: boolean;
  readonly value: (frames: Frame[], run: Run) => any;
}

export class Scope {
  readonly entries: RangeEntry[] = [];
  /** What plain names and `*` find, in order. */
  star: StarColumn[] = [];
  /** What can be named with a dot. */
  names: RangeEntry[] = [];
  readonly ctes = new Map<string, Cte>();
  correlated = false;
  /** While set: the entries of this scope that are referred to. */
  dependencies: Set<number> | undefined = undefined;
  readonly aggregates: AggregateCall[] = [];
  readonly windows: ((frames: Frame[], run: Run) => void)[] = [];
  /** Where aggregates may stand. */
  clause = 'WHERE';
  aggregatesAllowed = false;
  inAggregate = false;
  /** Keys of the expressions of GROUP BY. */
  groups: Map<string, Expr> | undefined = undefined;
  /** Columns outside of aggregates and of GROUP BY's expressions. */
  readonly bare: {
    readonly entry: RangeEntry;
    readonly column: number;
    readonly position: number;
  }[] = [];
  /** Conditions of inner joins: rows that changed while they were locked are tested anew. */
  readonly rechecks: Expr[] = [];
  /** Of WINDOW clauses, by name. */
  readonly windowClauses = new Map<string, any>();

  constructor(
    readonly analysis: Analysis,
    readonly parent: Scope | undefined,
  ) {}

  cte(name: string): Cte | undefined {
    for (let at: Scope | undefined = this; at !== undefined; at = at.parent) {
      const cte = at.ctes.get(name);
      if (cte !== undefined) return cte;
    }
    return undefined;
  }

  defines(cte: Cte): boolean {
    return this.ctes.get(cte.name) === cte;
  }

  add(alias: string, columns: RangeEntry['columns'], table?: Table): RangeEntry {
    const entry = { index: this.entries.length, alias, columns, table };
    this.entries.push(entry);
    return entry;
  }

  /** The columns of an entry as `*` gives them. */
  starOf(entry: RangeEntry): StarColumn[] {
    return entry.columns.map((column, i) => ({
      name: column.name,
      expr: columnExpr(entry, i, 0),
      entry,
      column: i,
    }));
  }

  private noteUse(entry: RangeEntry, column: number, level: number, position: number): void {
    let at: Scope = this;
    for (let i = 0; i < level; i += 1) {
      at.correlated = true;
      at = at.parent!;
    }
    at.dependencies?.add(entry.index);
    if (!at.inAggregate) at.bare.push({ entry, column, position });
  }

  /** `a` or `t.a` or `s.t.a`, or a whole row. */
  resolve(path: readonly string[], position: number): Expr {
    const name = path.at(-1)!;
    let level = 0;
    for (let at: Scope | undefined = this; at !== undefined; at = at.parent, level += 1) {
      const found = path.length === 1 ? at.plain(name, position) : at.qualified(path, position);
      if (found === undefined) continue;
      if (found.entry !== undefined) {
        this.noteUse(found.entry, found.column!, level, position);
        return columnExpr(found.entry, found.column!, level);
      }
      return this.merged(found.expr, at, level, position);
    }
    if (path.length === 1) {
      const row = this.wholeRow(name, position);
      if (row !== undefined) return row;
      throw new SqlError('42703', `column "${name}" does not exist`, { position });
    }
    const table = path.at(-2)!;
    if (this.hasName(table)) {
      throw new SqlError('42703', `column ${table}.${name} does not exist`, { position });
    }
    throw missingFrom(table, position);
  }

  /** A column that JOIN … USING made of two: it depends on everything there is at its level. */
  private merged(expr: Expr, at: Scope, level: number, position: number): Expr {
    for (const entry of at.entries) {
      if (at.star.some((column) => column.entry === entry)) this.noteUse(entry, 0, level, position);
    }
    for (const entry of at.names) at.dependencies?.add(entry.index);
    if (level === 0) return expr;
    return { ...expr, ev: (frame) => expr.ev(up(frame, level)) };
  }

  private hasName(name: string): boolean {
    return (
      this.names.some((entry) => entry.alias === name) || (this.parent?.hasName(name) ?? false)
    );
  }

  private plain(name: string, position: number): StarColumn | undefined {
    const found = this.star.filter((column) => column.name === name);
    if (found.length > 1) {
      throw new SqlError('42702', `column reference "${name}" is ambiguous`, { position });
    }
    return found[0];
  }

  private qualified(path: readonly string[], position: number): StarColumn | undefined {
    const [name, alias, schema] = [path.at(-1)!, path.at(-2)!, path.at(-3)];
    for (const entry of this.names) {
      if (entry.alias !== alias) continue;
      if (schema !== undefined && entry.table?.schema !== schema) continue;
      const column = entry.columns.findIndex((candidate) => candidate.name === name);
      if (column >= 0) return { name, expr: columnExpr(entry, column, 0), entry, column };
      const system = SYSTEM[name];
      if (system !== undefined && entry.table !== undefined) {
        this.dependencies?.add(entry.index);
        return { name, expr: { ...system, ev: (frame) => system.ev(frame.slots[entry.index]) } };
      }
      throw new SqlError('42703', `column ${alias}.${name} does not exist`, { position });
    }
    return undefined;
  }

  /** The entry that `t.*` means, and how far up it is. */
  entryNamed(name: string, position: number): { entry: RangeEntry; level: number } {
    let level = 0;
    for (let at: Scope | undefined = this; at !== undefined; at = at.parent, level += 1) {
      const entry = at.names.find((candidate) => candidate.alias === name);
      if (entry !== undefined) return { entry, level };
    }
    throw missingFrom(name, position);
  }

  wholeRow(name: string, position: number): Expr | undefined {
    if (!this.hasName(name)) {
      const [entry] = this.names;
      const system =
        this.names.length === 1 && entry!.table !== undefined ? SYSTEM[name] : undefined;
      if (system === undefined) return undefined;
      this.dependencies?.add(entry!.index);
      return { ...system, ev: (frame) => system.ev(frame.slots[entry!.index]) };
    }
    const { entry, level } = this.entryNamed(name, position);
    entry.columns.forEach((_, i) => this.noteUse(entry, i, level, position));
    const types = entry.columns.map((column) => column.type);
    const names = entry.columns.map((column) => column.name);
    const single = entry.table === undefined && entry.columns.length === 1 && names[0] === name;
    if (single) return columnExpr(entry, 0, level);
    return {
      type: t.RECORD,
      ev(frame) {
        const values = up(frame, level).slots[entry.index]!.v;
        // What an outer join filled up is no row at all.
        return values.length === 0 ? null : new Row(types, names, values);
      },
    };
  }
}

const SYSTEM: Record<string, { type: typeof t.TEXT; ev(slot: any): any }> = {
  ctid: { type: t.TEXT, ev: (slot) => (slot.row === undefined ? null : `(0,${slot.place})`) },
  xmin: { type: t.XID, ev: (slot) => slot.xmin?.transaction.id ?? null },
  tableoid: { type: t.OID, ev: (slot) => slot.table?.oid ?? null },
};

export function up(frame: Frame, level: number): Frame {
  let at = frame;
  for (let i = 0; i < level; i += 1) at = at.parent!;
  return at;
}

function missingFrom(table: string, position: number): SqlError {
  return new SqlError('42P01', `missing FROM-clause entry for table "${table}"`, { position });
}

/** Rows that an outer join fills up have no values. */
export function columnExpr(entry: RangeEntry, column: number, level: number): Expr {
  const { type, typmod } = entry.columns[column]!;
  const { index } = entry;
  const ev =
    level === 0
      ? (frame: Frame) => frame.slots[index]!.v[column] ?? null
      : (frame: Frame) => up(frame, level).slots[index]!.v[column] ?? null;
  return level === 0
    ? { type, typmod, ev, column: { entry: index, column } }
    : { type, typmod, ev };
}
