/**
 * The libraries `table` and `math`.
 */

import type { Arguments, Library } from './arguments.js';
import type { Runtime } from './runtime.js';
import type { LuaTable } from './table.js';
import { type LuaValue, toText, truthy, typeOf } from './value.js';

function concat(runtime: Runtime, args: Arguments): string {
  const table = args.table(0);
  const separator = args.text(1, '');
  const [from, to] = [args.integer(2, 1), args.integer(3, table.length)];
  const parts: string[] = [];
  for (let i = from; i <= to; i++) {
    const text = toText(table.get(i));
    if (text === undefined) {
      throw runtime.failure(
        `invalid value (${typeOf(table.get(i))}) at index ${i} in table for 'concat'`,
      );
    }
    parts.push(text);
  }
  return parts.join(separator);
}

function insert(runtime: Runtime, args: Arguments): readonly LuaValue[] {
  const table = args.table(0);
  writable(runtime, table);
  if (args.count === 2) table.set(table.length + 1, args.values[1]);
  else if (args.count === 3) {
    const at = args.integer(1);
    const end = Math.max(table.length + 1, at);
    for (let i = end; i > at; i--) table.set(i, table.get(i - 1));
    table.set(at, args.values[2]);
  } else throw runtime.failure("wrong number of arguments to 'insert'");
  return [];
}

function remove(runtime: Runtime, args: Arguments): readonly LuaValue[] {
  const table = args.table(0);
  writable(runtime, table);
  const { length } = table;
  const at = args.integer(1, length);
  if (at < 1 || at > length) return [];
  const value = table.get(at);
  for (let i = at; i < length; i++) table.set(i, table.get(i + 1));
  table.set(length, undefined);
  return [value];
}

function sort(runtime: Runtime, args: Arguments): readonly LuaValue[] {
  const table = args.table(0);
  writable(runtime, table);
  const by = args.values[1];
  const less = (a: LuaValue, b: LuaValue): boolean =>
    typeof by === 'function' ? truthy(by(a, b)[0]) : runtime.less(a, b, runtime.line);
  const values = Array.from({ length: table.length }, (_, i) => table.get(i + 1));
  values.sort((a, b) => (less(a, b) ? -1 : less(b, a) ? 1 : 0));
  values.forEach((value, i) => table.set(i + 1, value));
  return [];
}

function writable(runtime: Runtime, table: LuaTable): void {
  if (table.readOnly) throw runtime.failure('Attempt to modify a readonly table');
}

export function tableLibrary(runtime: Runtime): Library {
  return {
    concat: (args) => concat(runtime, args),
    foreach: (args) => {
      for (const [key, value] of args.table(0).pairs()) {
        const [result] = args.function(1)(key, value);
        if (result !== undefined) return result;
      }
      return [];
    },
    foreachi: (args) => {
      const table = args.table(0);
      for (let i = 1; i <= table.length; i++) {
        const [result] = args.function(1)(i, table.get(i));
        if (result !== undefined) return result;
      }
      return [];
    },
    getn: (args) => args.table(0).length,
    insert: (args) => insert(runtime, args),
    maxn: (args) => {
      let most = 0;
      for (const [key] of args.table(0).pairs())
        if (typeof key === 'number' && key > most) most = key;
      return most;
    },
    remove: (args) => remove(runtime, args),
    sort: (args) => sort(runtime, args),
  };
}

/** The numbers of drand48, which Redis begins in the same way after every start. */
export class ScriptRandom {
  private state = 0x1234abcd330en;

  seed(value: number): void {
    this.state = (BigInt.asUintN(32, BigInt(Math.trunc(value))) << 16n) | 0x330en;
  }

  /** From 0 on, below 2^31. */
  next(): number {
    this.state = BigInt.asUintN(48, this.state * 0x5deece66dn + 0xbn);
    return Number(this.state >> 17n);
  }
}

export function mathLibrary(random: ScriptRandom): Library {
  const one =
    (compute: (x: number) => number): Library[string] =>
    (args) =>
      compute(args.number(0));
  return {
    abs: one(Math.abs),
    acos: one(Math.acos),
    asin: one(Math.asin),
    atan: one(Math.atan),
    atan2: (args) => Math.atan2(args.number(0), args.number(1)),
    ceil: one(Math.ceil),
    cos: one(Math.cos),
    cosh: one(Math.cosh),
    deg: one((x) => (x * 180) / Math.PI),
    exp: one(Math.exp),
    floor: one(Math.floor),
    fmod: (args) => args.number(0) % args.number(1),
    frexp: (args) => {
      const x = args.number(0);
      if (x === 0 || !Number.isFinite(x)) return [x, 0];
      const exponent = Math.floor(Math.log2(Math.abs(x))) + 1;
      return [x / 2 ** exponent, exponent];
    },
    ldexp: (args) => args.number(0) * 2 ** args.number(1),
    log: one(Math.log),
    log10: one(Math.log10),
    max: (args) => Math.max(...args.values.map((_, i) => args.number(i)), args.number(0)),
    min: (args) => Math.min(...args.values.map((_, i) => args.number(i)), args.number(0)),
    modf: (args) => [Math.trunc(args.number(0)), args.number(0) - Math.trunc(args.number(0))],
    pow: (args) => args.number(0) ** args.number(1),
    rad: one((x) => (x * Math.PI) / 180),
    random: (args) => {
      const share = (random.next() % 0x7fffffff) / 0x7fffffff;
      if (args.count === 0) return share;
      const low = args.count === 1 ? 1 : args.integer(0);
      const high = args.integer(args.count === 1 ? 0 : 1);
      if (low > high) throw args.bad(args.count === 1 ? 0 : 1, 'interval is empty');
      return Math.floor(share * (high - low + 1)) + low;
    },
    randomseed: (args) => {
      random.seed(args.number(0));
      return [];
    },
    sin: one(Math.sin),
    sinh: one(Math.sinh),
    sqrt: one(Math.sqrt),
    tan: one(Math.tan),
    tanh: one(Math.tanh),
  };
}
