/** The execution of one statement. */

import type { Steps } from '../engine/wait.js';
import { SqlError } from '../errors.js';
import { clock } from '../functions/time.js';
import type { Statement } from '../parser.js';
import { Parameters, Frame, Run, type OutputColumn, type Plan } from '../sql/expr.js';
import { settle } from '../sql/foreign-keys.js';
import { AFFECTED } from '../sql/modify.js';
import { planQuery } from '../sql/query.js';
import { runDdl } from '../sql/ddl.js';
import { Analysis } from '../sql/scope.js';
import { kindOf } from '../sql/tree.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import type { Session } from './session.js';
import { runUtility, utilityColumns } from './utility.js';

export interface Result {
  readonly tag: string;
  readonly columns: readonly OutputColumn[] | undefined;
  readonly rows: readonly any[][];
}

/** A statement that was analysed, and when. */
export interface Prepared {
  readonly statement: Statement | undefined;
  readonly parameters: Parameters;
  readonly columns: readonly OutputColumn[] | undefined;
  planned?: Planned | undefined;
}

interface Planned {
  readonly version: number;
  readonly path: string;
  readonly plan: Plan;
  readonly analysis: Analysis;
}

const QUERIES = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);
const ENDING = new Set(['TRANS_STMT_ROLLBACK', 'TRANS_STMT_COMMIT', 'TRANS_STMT_ROLLBACK_TO']);

function plan(statement: Statement, session: Session, parameters: Parameters): Planned {
  const analysis = new Analysis(session.db, session, session.transaction, parameters);
  const made = planQuery(statement.node, analysis, undefined);
  parameters.types.forEach((type, i) => {
    if (type === undefined) parameters.types[i] = t.TEXT;
  });
  return { version: session.db.version, path: session.searchPath.join(), plan: made, analysis };
}

export function prepare(
  statement: Statement | undefined,
  session: Session,
  types: readonly (Type | undefined)[],
): Prepared {
  const parameters = new Parameters([...types]);
  if (statement === undefined) return { statement, parameters, columns: undefined };
  checkState(statement, session);
  if (!QUERIES.has(kindOf(statement.node))) {
    return { statement, parameters, columns: utilityColumns(statement.node) };
  }
  const planned = plan(statement, session, parameters);
  const columns =
    planned.plan.columns.length > 0 || kindOf(statement.node) === 'SelectStmt'
      ? planned.plan.columns
      : undefined;
  return { statement, parameters, columns, planned };
}

function checkState({ node }: Statement, session: Session): void {
  if (!session.failed || ENDING.has(node.TransactionStmt?.kind)) return;
  throw new SqlError(
    '25P02',
    'current transaction is aborted, commands ignored until end of transaction block',
  );
}

export function* execute(
  prepared: Prepared,
  params: readonly any[],
  session: Session,
): Steps<Result> {
  const statement = prepared.statement!;
  const kind = kindOf(statement.node);
  checkState(statement, session);
  session.statementStarted = clock();
  if (kind === 'TransactionStmt' || !isInTransaction(kind)) {
    return yield* runUtility(statement.node, session);
  }
  const transaction = session.current();
  if (QUERIES.has(kind)) return yield* runQuery(prepared, params, session);
  if (isUtility(kind)) return yield* runUtility(statement.node, session);
  if (transaction.readOnly) throw readOnly(DDL[kind] ?? kind);
  const run = new Run(session.db, session, transaction, session.db.snapshot(transaction), params);
  const analysis = new Analysis(session.db, session, transaction, prepared.parameters);
  const tag = yield* runDdl(statement.node, { analysis, run });
  return { tag, columns: undefined, rows: [] };
}

const UTILITIES = new Set([
  'VariableSetStmt',
  'VariableShowStmt',
  'LockStmt',
  'ListenStmt',
  'UnlistenStmt',
  'NotifyStmt',
  'DiscardStmt',
  'ConstraintsSetStmt',
  'VacuumStmt',
  'PrepareStmt',
  'ExecuteStmt',
  'DeallocateStmt',
  'CheckPointStmt',
]);
const isUtility = (kind: string) => UTILITIES.has(kind);
const isInTransaction = (kind: string) =>
  kind !== 'DiscardStmt' && kind !== 'VacuumStmt' && kind !== 'CheckPointStmt';

const DDL: Record<string, string> = {
  CreateStmt: 'CREATE TABLE',
  IndexStmt: 'CREATE INDEX',
  ViewStmt: 'CREATE VIEW',
  AlterTableStmt: 'ALTER TABLE',
  RenameStmt: 'ALTER TABLE',
  DropStmt: 'DROP TABLE',
  TruncateStmt: 'TRUNCATE TABLE',
  CreateSeqStmt: 'CREATE SEQUENCE',
  CreateEnumStmt: 'CREATE TYPE',
  CreateSchemaStmt: 'CREATE SCHEMA',
};

const readOnly = (what: string) =>
  new SqlError('25006', `cannot execute ${what} in a read-only transaction`);

const VERBS: Record<string, string> = {
  SelectStmt: 'SELECT',
  InsertStmt: 'INSERT 0',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
};

function* runQuery(prepared: Prepared, params: readonly any[], session: Session): Steps<Result> {
  const { db } = session;
  const statement = prepared.statement!;
  const kind = kindOf(statement.node);
  const transaction = session.current();
  if (transaction.readOnly && kind !== 'SelectStmt') throw readOnly(VERBS[kind]!.split(' ')[0]!);
  for (;;) {
    const { planned } = prepared;
    const stale =
      planned === undefined ||
      planned.version !== db.version ||
      planned.path !== session.searchPath.join();
    if (stale) prepared.planned = plan(statement, session, prepared.parameters);
    const { plan: query, analysis, version } = prepared.planned!;
    if (stale && prepared.columns !== undefined && changed(prepared.columns, query.columns)) {
      throw new SqlError('0A000', 'cached plan must not change result type');
    }
    for (const [table, mode] of analysis.tables) {
      yield* db.locks.acquire(
        `relation ${table.oid}`,
        `relation ${table.oid} of database 5`,
        transaction,
        mode,
      );
    }
    // Somebody may have changed the tables while this waited for them.
    if (version !== db.version) continue;
    const run = new Run(db, session, transaction, db.snapshot(transaction), params);
    for (const before of analysis.before)
      run.memo.set(before, yield* before.steps(run, new Frame(run, undefined)));
    const rows: any[][] & { [AFFECTED]?: number } = yield* query.steps(run, undefined);
    yield* settle(run);
    const tag = `${VERBS[kind]} ${rows[AFFECTED] ?? rows.length}`;
    return { tag, columns: prepared.columns, rows };
  }
}

function changed(a: readonly OutputColumn[], b: readonly OutputColumn[]): boolean {
  return a.length !== b.length || a.some((column, i) => column.type !== b[i]!.type);
}
