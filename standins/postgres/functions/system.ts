/** Functions about the session, the catalog, sequences and locks. */

import { indexDefinition } from '../catalog/index-definition.js';
import type { Relation } from '../engine/database.js';
import type { LockMode, LockOwner } from '../engine/locks.js';
import type { Steps } from '../engine/wait.js';
import { SqlError, unsupported } from '../errors.js';
import { notify, settingOf } from '../session/utility.js';
import type { Run } from '../sql/expr.js';
import { sqlTypeName } from '../types/names.js';
import * as t from '../types/types.js';
import { fn, runFn, type ArgumentType, type Overload } from './overloads.js';

const { BOOL, INT4, INT8, TEXT, NAME, OID, VOID, REGCLASS } = t;

runFn(
  'version',
  [],
  TEXT,
  (_, run) => `PostgreSQL ${run.session.settings.get('server_version')} (detsim)`,
);
runFn('current_database', [], NAME, (_, run) => run.db.name);
runFn('current_schema', [], NAME, (_, run) => run.session.searchPath[0] ?? null);
runFn('current_schemas', [BOOL], NAME.array!, ([system], run) => [
  ...(system ? ['pg_catalog'] : []),
  ...run.session.searchPath,
]);
runFn('pg_backend_pid', [], INT4, (_, run) => run.session.pid);
runFn('txid_current', [], INT8, (_, run) => BigInt(run.transaction.id));
runFn('pg_current_xact_id', [], TEXT, (_, run) => String(run.transaction.id));
runFn('pg_typeof', ['any'], t.REGTYPE, (_args, _run, [type]) => type!.oid, { nulls: true });
runFn(
  'current_setting',
  [TEXT, BOOL],
  TEXT,
  ([name, missing], run) => {
    try {
      return settingOf(name, run.session);
    } catch (error) {
      if (missing) return null;
      throw error;
    }
  },
  { minimum: 1 },
);
runFn('set_config', [TEXT, TEXT, BOOL], TEXT, ([name, value, local], run) => {
  run.session.settings.set(name, value, local);
  return run.session.settings.show(name);
});
fn('pg_is_in_recovery', [], BOOL, () => false);
fn('inet_server_addr inet_client_addr', [], TEXT, () => null);
fn('inet_server_port', [], INT4, () => null);
runFn('pg_notify', [TEXT, TEXT], VOID, ([channel, payload], run) => {
  notify(channel, payload, run.session);
  return '';
});
const over =
  (signal: 'cancel' | 'terminate') =>
  ([pid]: any[], run: Run) => {
    run.db.sessions.get(pid)?.[signal]();
    return run.db.sessions.has(pid);
  };
runFn('pg_cancel_backend', [INT4], BOOL, over('cancel'));
runFn('pg_terminate_backend', [INT4], BOOL, over('terminate'));

// The catalog, as clients ask about it

runFn('to_regclass', [TEXT], REGCLASS, ([name], run) => {
  try {
    return run.session.regNamed(REGCLASS, name);
  } catch {
    return null;
  }
});
runFn('to_regtype', [TEXT], t.REGTYPE, ([name], run) => {
  try {
    return run.session.regNamed(t.REGTYPE, name);
  } catch {
    return null;
  }
});
runFn(
  'format_type',
  [OID, INT4],
  TEXT,
  ([oid, typmod], run) => {
    const type = run.db.typeByOid(oid, run.transaction);
    return type === undefined ? '???' : sqlTypeName(type, typmod ?? -1);
  },
  { nulls: true },
);
fn('pg_table_is_visible pg_type_is_visible pg_function_is_visible', [OID], BOOL, () => true);
fn(
  'has_table_privilege has_schema_privilege has_database_privilege',
  ['any', TEXT],
  BOOL,
  () => true,
);
fn('obj_description', [OID, NAME], TEXT, () => null, { minimum: 1 });
fn('col_description', [OID, INT4], TEXT, () => null);
fn('shobj_description', [OID, NAME], TEXT, () => null);
runFn('pg_get_userbyid', [OID], NAME, (_, run) => run.session.user);
fn('pg_get_expr', [TEXT, OID], TEXT, (text) => text);
fn('pg_encoding_to_char', [INT4], NAME, () => 'UTF8');
runFn('pg_get_indexdef', [OID], TEXT, ([oid], run) => {
  for (const { object } of run.db.all('relation', run.transaction)) {
    const found = object as Relation;
    if (found.kind === 'index' && found.object.oid === oid) return indexDefinition(found.object);
  }
  return null;
});
runFn('pg_get_serial_sequence', [TEXT, TEXT], TEXT, ([relation, column], run) => {
  const oid = run.session.regNamed(REGCLASS, relation);
  for (const { object } of run.db.all('relation', run.transaction)) {
    const found = object as { kind: string; object: any };
    if (found.kind !== 'sequence') continue;
    const { ownedBy } = found.object;
    if (ownedBy?.table.oid === oid && ownedBy.column === column)
      return `${found.object.schema}.${found.object.name}`;
  }
  return null;
});

// Sequences

const writes = (run: Run, what: string) => {
  if (run.transaction.readOnly) {
    throw new SqlError('25006', `cannot execute ${what}() in a read-only transaction`);
  }
};
runFn('nextval', [REGCLASS], INT8, ([oid], run) => {
  writes(run, 'nextval');
  return run.session.nextval(run.session.sequence(oid));
});
runFn('currval', [REGCLASS], INT8, ([oid], run) => run.session.currval(run.session.sequence(oid)));
runFn('lastval', [], INT8, (_, run) => run.session.lastval());
runFn(
  'setval',
  [REGCLASS, INT8, BOOL],
  INT8,
  ([oid, value, called = true], run) => {
    writes(run, 'setval');
    const sequence = run.session.sequence(oid);
    sequence.set(value, called);
    if (called) run.session.noteValue(sequence, value);
    return value;
  },
  { minimum: 2 },
);

// What may wait: it stands alone in a select list, or it is refused.

function waiting(
  name: string,
  args: readonly ArgumentType[],
  result: Overload['result'],
  steps: NonNullable<Overload['steps']>,
): void {
  runFn(
    name,
    args,
    result,
    () => {
      throw unsupported(`${name}() other than alone in a select list`);
    },
    { steps },
  );
}

function* sleep(micros: number): Steps<string> {
  const wait = { ready: () => false, blockers: () => [], what: 'Timeout', sleep: micros };
  yield wait;
  return '';
}
waiting('pg_sleep', [t.FLOAT8], VOID, ([seconds]) => sleep(Math.max(0, seconds) * 1e6));
waiting('pg_sleep_for', [t.INTERVAL], VOID, ([interval]) => sleep(Math.max(0, interval.span())));

/** Keys of advisory locks: one of 64 bits, or two of 32. */
const keyOf = (keys: readonly (bigint | number)[]) => `advisory ${keys.join(' ')}`;
const nameOf = (keys: readonly (bigint | number)[]) => {
  const [a, b] =
    keys.length === 2 ? keys : [BigInt(keys[0]!) >> 32n, BigInt.asUintN(32, BigInt(keys[0]!))];
  return `advisory lock [5,${a},${b},${keys.length === 2 ? 2 : 1}]`;
};
const lockOf = (keys: readonly (bigint | number)[], run: Run) =>
  run.db.locks.of(keyOf(keys), nameOf(keys));

for (const shared of [false, true]) {
  const mode: LockMode = shared ? 'ShareLock' : 'ExclusiveLock';
  const suffix = shared ? '_shared' : '';
  for (const args of [[INT8], [INT4, INT4]]) {
    for (const xact of [false, true]) {
      const owner = (run: Run): LockOwner => (xact ? run.transaction : run.session);
      const scope = xact ? '_xact' : '';
      waiting(`pg_advisory${scope}_lock${suffix}`, args, VOID, function* (keys, run) {
        yield* lockOf(keys, run).lock(owner(run), mode);
        return '';
      });
      runFn(`pg_try_advisory${scope}_lock${suffix}`, args, BOOL, (keys, run) =>
        lockOf(keys, run).tryLock(owner(run), mode),
      );
    }
    runFn(`pg_advisory_unlock${suffix}`, args, BOOL, (keys, run) => {
      const held = lockOf(keys, run).unlock(run.session, mode);
      if (held) run.db.noteRelease();
      else run.session.notice('01000', `you don't own a lock of type ${mode}`, 'WARNING');
      return held;
    });
  }
}
runFn('pg_advisory_unlock_all', [], VOID, (_, run) => {
  run.db.locks.releaseAll(run.session);
  run.db.noteRelease();
  return '';
});
runFn('pg_size_pretty', [INT8], TEXT, ([bytes]) => `${bytes} bytes`);
/** Any hash will do for what people shard and lock by; it is not PostgreSQL's. */
fn('hashtext', [TEXT], INT4, () => {
  throw unsupported('hashtext()');
});
