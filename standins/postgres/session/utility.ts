/** Statements about the session: transactions, settings, locks on tables, LISTEN and NOTIFY. */

import { MODES } from '../engine/locks.js';
import type { Steps } from '../engine/wait.js';
import { setConstraints } from './constraints.js';
import { SqlError, unsupported } from '../errors.js';
import type { OutputColumn } from '../sql/expr.js';
import { constantOf, kindOf } from '../sql/tree.js';
import { TEXT } from '../types/types.js';
import type { Result } from './execute.js';
import { level, type Session } from './session.js';

const done = (tag: string): Result => ({ tag, columns: undefined, rows: [] });

export function utilityColumns(node: any): readonly OutputColumn[] | undefined {
  const show = node.VariableShowStmt;
  if (show === undefined) return undefined;
  const column = (name: string): OutputColumn => ({ name, type: TEXT, typmod: [] });
  return show.name === 'all'
    ? ['name', 'setting', 'description'].map(column)
    : [column(shownName(show.name))];
}

const shownName = (name: string) =>
  ({ timezone: 'TimeZone', datestyle: 'DateStyle', intervalstyle: 'IntervalStyle' })[name] ?? name;

export function* runUtility(node: any, session: Session): Steps<Result> {
  const kind = kindOf(node);
  const body = node[kind];
  switch (kind) {
    case 'TransactionStmt':
      return yield* transactionStatement(body, session);
    case 'VariableSetStmt':
      return setVariable(body, session);
    case 'ConstraintsSetStmt':
      yield* setConstraints(body, session);
      return done('SET CONSTRAINTS');
    case 'VariableShowStmt':
      return show(body, session);
    case 'LockStmt':
      yield* lockTables(body, session);
      return done('LOCK TABLE');
    case 'ListenStmt':
      listen(body.conditionname, session);
      return done('LISTEN');
    case 'UnlistenStmt':
      unlisten(body.conditionname, session);
      return done('UNLISTEN');
    case 'NotifyStmt':
      notify(body.conditionname, body.payload ?? '', session);
      return done('NOTIFY');
    case 'DiscardStmt':
      if (session.transaction !== undefined && !session.implicit) {
        throw new SqlError('25001', 'DISCARD ALL cannot run inside a transaction block');
      }
      unlisten(undefined, session);
      session.settings.resetAll();
      session.db.locks.releaseAll(session);
      session.db.noteRelease();
      return done('DISCARD ALL');
    case 'VacuumStmt':
      return done(body.is_vacuumcmd ? 'VACUUM' : 'ANALYZE');
    case 'CheckPointStmt':
      return done('CHECKPOINT');
    case 'DeallocateStmt':
      return done(body.name === undefined ? 'DEALLOCATE ALL' : 'DEALLOCATE');
  }
  throw unsupported(kind.replace(/Stmt$/, ''));
}

function* transactionStatement(body: any, session: Session): Steps<Result> {
  const inBlock = session.transaction !== undefined && !session.implicit;
  switch (body.kind) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START': {
      const tag = body.kind === 'TRANS_STMT_BEGIN' ? 'BEGIN' : 'START TRANSACTION';
      if (inBlock) session.notice('25001', 'there is already a transaction in progress', 'WARNING');
      else if (session.transaction !== undefined) session.implicit = false;
      else session.begin(false);
      for (const { DefElem: option } of body.options ?? [])
        mode(option.defname, constantOf(option.arg), session);
      return done(tag);
    }
    case 'TRANS_STMT_COMMIT': {
      if (!inBlock) session.notice('25P01', 'there is no transaction in progress', 'WARNING');
      if (body.chain) throw unsupported('AND CHAIN');
      if (session.failed) {
        session.rollback();
        return done('ROLLBACK');
      }
      yield* session.commit();
      return done('COMMIT');
    }
    case 'TRANS_STMT_ROLLBACK':
      if (!inBlock) session.notice('25P01', 'there is no transaction in progress', 'WARNING');
      if (body.chain) throw unsupported('AND CHAIN');
      session.rollback();
      return done('ROLLBACK');
    case 'TRANS_STMT_SAVEPOINT':
      if (!inBlock) throw noBlock('SAVEPOINT');
      session.savepoint(body.savepoint_name);
      return done('SAVEPOINT');
    case 'TRANS_STMT_RELEASE':
      if (!inBlock) throw noBlock('RELEASE SAVEPOINT');
      session.release(body.savepoint_name);
      return done('RELEASE');
    case 'TRANS_STMT_ROLLBACK_TO':
      if (!inBlock) throw noBlock('ROLLBACK TO SAVEPOINT');
      session.rollbackTo(body.savepoint_name);
      return done('ROLLBACK');
  }
  throw unsupported('two-phase commit');
}

const noBlock = (what: string) =>
  new SqlError('25P01', `${what} can only be used in transaction blocks`);

function mode(name: string, value: unknown, session: Session): void {
  const transaction = session.current();
  if (name === 'transaction_isolation') {
    const isolation = level(String(value));
    if (isolation !== transaction.isolation && transaction.command > 0) {
      throw new SqlError(
        '25001',
        'SET TRANSACTION ISOLATION LEVEL must be called before any query',
      );
    }
    transaction.isolation = isolation;
  } else if (name === 'transaction_read_only') {
    const readOnly = value === 1 || value === true || /^(on|true|1)$/.test(String(value));
    if (!readOnly && transaction.readOnly && transaction.command > 0) {
      throw new SqlError('25001', 'transaction read-write mode must be set before any query');
    }
    transaction.readOnly = readOnly;
  } else transaction.deferrable = value === 1 || value === true;
}

function setVariable(body: any, session: Session): Result {
  const { settings } = session;
  const local = body.is_local ?? false;
  const inBlock = session.transaction !== undefined && !session.implicit;
  if (local && !inBlock)
    session.notice('25P01', 'SET LOCAL can only be used in transaction blocks', 'WARNING');
  switch (body.kind) {
    case 'VAR_SET_VALUE': {
      const values: string[] = body.args.map((arg: any) => String(constantOf(arg)));
      if (/^transaction_(isolation|read_only|deferrable)$/.test(body.name))
        mode(body.name, values[0], session);
      else if (!local || inBlock)
        settings.set(
          body.name,
          body.name === 'search_path' ? values.map(quoted).join(', ') : values.join(', '),
          local,
        );
      return done('SET');
    }
    case 'VAR_SET_DEFAULT':
      settings.set(body.name, undefined, local);
      return done('SET');
    case 'VAR_RESET':
      settings.set(body.name, undefined);
      return done('RESET');
    case 'VAR_RESET_ALL':
      settings.resetAll();
      return done('RESET');
    case 'VAR_SET_MULTI': {
      const isSession = body.name === 'SESSION CHARACTERISTICS';
      if (!isSession && body.name !== 'TRANSACTION') throw unsupported(`SET ${body.name}`);
      if (!isSession && !inBlock)
        session.notice(
          '25P01',
          'SET TRANSACTION can only be used in transaction blocks',
          'WARNING',
        );
      for (const { DefElem: option } of body.args) {
        const value = constantOf(option.arg);
        if (isSession)
          settings.set(
            `default_${option.defname}`,
            value === 1 ? 'on' : value === 0 ? 'off' : String(value),
          );
        else mode(option.defname, value, session);
      }
      return done('SET');
    }
  }
  throw unsupported(`SET ${body.name} FROM CURRENT`);
}

const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`);

function show(body: any, session: Session): Result {
  const columns = utilityColumns({ VariableShowStmt: body });
  if (body.name === 'all') {
    return {
      tag: 'SHOW',
      columns,
      rows: session.settings.all().map(([name]) => [name, session.settings.show(name), '']),
    };
  }
  return { tag: 'SHOW', columns, rows: [[settingOf(body.name, session)]] };
}

export function settingOf(name: string, session: Session): string {
  const transaction = session.transaction;
  if (name === 'transaction_isolation')
    return transaction?.isolation ?? session.settings.show('default_transaction_isolation');
  if (name === 'transaction_read_only') return transaction?.readOnly ? 'on' : 'off';
  return session.settings.show(name);
}

function* lockTables(body: any, session: Session): Steps<void> {
  if (session.transaction === undefined || session.implicit) throw noBlock('LOCK TABLE');
  for (const { RangeVar: relation } of body.relations) {
    const table = session.findTable(relation.schemaname, relation.relname, session.transaction);
    if (table === undefined)
      throw new SqlError('42P01', `relation "${relation.relname}" does not exist`);
    const name = body.nowait ? `relation "${table.name}"` : `relation ${table.oid} of database 5`;
    yield* session.db.locks.acquire(
      `relation ${table.oid}`,
      name,
      session.transaction,
      MODES[body.mode - 1]!,
      body.nowait,
    );
  }
}

function listen(channel: string, session: Session): void {
  const { listeners } = session.db;
  if (!listeners.has(channel)) listeners.set(channel, new Set());
  listeners.get(channel)!.add(session);
  session.listening.add(channel);
}

function unlisten(channel: string | undefined, session: Session): void {
  for (const one of channel === undefined ? [...session.listening] : [channel]) {
    session.db.listeners.get(one)?.delete(session);
    session.listening.delete(one);
  }
}

export function notify(channel: string, payload: string, session: Session): void {
  const transaction = session.current();
  const known = transaction.notifications.some(
    (one) => one.channel === channel && one.payload === payload && !one.xact.isAborted,
  );
  if (!known) transaction.notifications.push({ xact: transaction.current, channel, payload });
}
