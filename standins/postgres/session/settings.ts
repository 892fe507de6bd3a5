/** Settings of a session (SET, SHOW): those that there are, and how transactions undo them. */

import { SqlError, unsupported } from '../errors.js';
import { isUtc } from '../functions/time.js';

interface Reports {
  parameter(name: string, value: string): void;
}

const DEFAULTS: Record<string, string> = {
  application_name: '',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  client_min_messages: 'notice',
  datestyle: 'ISO, MDY',
  deadlock_timeout: '1s',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  extra_float_digits: '1',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  in_hot_standby: 'off',
  integer_datetimes: 'on',
  intervalstyle: 'postgres',
  is_superuser: 'on',
  lock_timeout: '0',
  max_connections: '100',
  max_identifier_length: '63',
  row_security: 'on',
  search_path: '"$user", public',
  server_encoding: 'UTF8',
  server_version: '15.13',
  server_version_num: '150013',
  session_authorization: 'postgres',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  synchronous_commit: 'on',
  timezone: 'UTC',
  work_mem: '4MB',
  jit: 'off',
  check_function_bodies: 'on',
  xmloption: 'content',
  session_replication_role: 'origin',
  default_tablespace: '',
  default_table_access_method: 'heap',
  lc_messages: 'C',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  constraint_exclusion: 'partition',
};

/** Reported to clients whenever they change, under these names. */
const REPORTED: Record<string, string> = {
  application_name: 'application_name',
  client_encoding: 'client_encoding',
  datestyle: 'DateStyle',
  default_transaction_read_only: 'default_transaction_read_only',
  in_hot_standby: 'in_hot_standby',
  integer_datetimes: 'integer_datetimes',
  intervalstyle: 'IntervalStyle',
  is_superuser: 'is_superuser',
  server_encoding: 'server_encoding',
  server_version: 'server_version',
  session_authorization: 'session_authorization',
  standard_conforming_strings: 'standard_conforming_strings',
  timezone: 'TimeZone',
};

const TIMES = /^(?:deadlock_timeout|idle_.*timeout|lock_timeout|statement_timeout)$/;
const SCALE: Record<string, number> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds. */
export function milliseconds(name: string, text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(text);
  if (match === null)
    throw new SqlError('22023', `invalid value for parameter "${name}": "${text}"`);
  return Math.round(Number(match[1]) * SCALE[match[2] ?? 'ms']!);
}

/** As SHOW writes it: in the largest unit that fits. */
function shownTime(value: number): string {
  for (const unit of ['d', 'h', 'min', 's']) {
    if (value !== 0 && value % SCALE[unit]! === 0) return `${value / SCALE[unit]!}${unit}`;
  }
  return value === 0 ? '0' : `${value}ms`;
}

export class Settings {
  private readonly values = new Map<string, string>(Object.entries(DEFAULTS));
  /** What it was at the beginning of the transaction and at each of its savepoints. */
  private saved: Map<string, string>[] = [];
  /** What SET LOCAL changed, and the values to return to. */
  private local = new Map<string, string | undefined>();

  constructor(private readonly client: Reports) {}

  reportAll(): void {
    for (const [name, reported] of Object.entries(REPORTED))
      this.client.parameter(reported, this.values.get(name)!);
  }

  get(name: string): string | undefined {
    return this.values.get(name.toLowerCase());
  }

  milliseconds(name: string): number {
    return milliseconds(name, this.get(name)!);
  }

  list(name: string): string[] {
    const text = this.get(name) ?? '';
    return [...text.matchAll(/"([^"]*)"|[^,\s"]+/g)].map(
      ([whole, quoted]) => quoted ?? whole.toLowerCase(),
    );
  }

  show(name: string): string {
    const value = this.get(name);
    if (value !== undefined) return TIMES.test(name) ? shownTime(milliseconds(name, value)) : value;
    throw new SqlError('42704', `unrecognized configuration parameter "${name}"`);
  }

  all(): [string, string][] {
    return [...this.values].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  set(given: string, value: string | undefined, local = false): void {
    const name = given.toLowerCase();
    const known = name in DEFAULTS;
    if (!known && !name.includes('.')) {
      throw new SqlError('42704', `unrecognized configuration parameter "${given}"`);
    }
    const next = this.checked(name, value ?? DEFAULTS[name] ?? '');
    if (local && !this.local.has(name)) this.local.set(name, this.values.get(name));
    if (!local) this.local.delete(name);
    this.put(name, next);
  }

  private checked(name: string, value: string): string {
    if (TIMES.test(name)) return String(milliseconds(name, value));
    switch (name) {
      case 'timezone':
        if (!isUtc(value)) throw unsupported(`the time zone "${value}"`);
        return /^default$/i.test(value) ? 'UTC' : value;
      case 'default_transaction_isolation': {
        const level = value.toLowerCase();
        if (/^(serializable|repeatable read|read (un)?committed)$/.test(level)) return level;
        throw new SqlError('22023', `invalid value for parameter "${name}": "${value}"`);
      }
      case 'default_transaction_read_only':
        return /^(on|true|1|yes)$/i.test(value) ? 'on' : 'off';
      case 'client_encoding':
        if (!/^'?utf-?8'?$|^unicode$/i.test(value)) throw unsupported(`the encoding ${value}`);
        return 'UTF8';
      case 'datestyle':
        if (!/^iso/i.test(value)) throw unsupported(`the date style ${value}`);
        return 'ISO, MDY';
      case 'intervalstyle':
        if (value.toLowerCase() !== 'postgres') throw unsupported(`the interval style ${value}`);
        return 'postgres';
      case 'standard_conforming_strings':
        if (!/^on$/i.test(value)) throw unsupported('standard_conforming_strings = off');
        return 'on';
    }
    return value;
  }

  private put(name: string, value: string | undefined): void {
    if (this.values.get(name) === value) return;
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
    const reported = REPORTED[name];
    if (reported !== undefined && value !== undefined) this.client.parameter(reported, value);
  }

  resetAll(): void {
    for (const [name] of [...this.values]) this.put(name, DEFAULTS[name]);
  }

  begin(): void {
    this.saved = [new Map(this.values)];
    this.local = new Map();
  }

  mark(): void {
    this.saved.push(new Map(this.values));
  }

  release(at: number): void {
    this.saved.splice(at + 1);
  }

  rollbackTo(at: number): void {
    this.restore(this.saved[at + 1]!);
    this.saved.splice(at + 2);
  }

  end(committed: boolean): void {
    if (!committed && this.saved[0] !== undefined) this.restore(this.saved[0]);
    else for (const [name, value] of this.local) this.put(name, value);
    this.saved = [];
    this.local = new Map();
  }

  private restore(values: ReadonlyMap<string, string>): void {
    for (const name of [...this.values.keys()]) if (!values.has(name)) this.put(name, undefined);
    for (const [name, value] of values) this.put(name, value);
  }
}
