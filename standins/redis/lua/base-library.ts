/**
 * The functions of Lua that are globals.
 */

import type { Library } from './arguments.js';
import type { Runtime } from './runtime.js';
import { LuaTable } from './table.js';
import { LuaError, type LuaValue, toNumber, truthy, typeOf } from './value.js';

/** The value that was thrown, as a script sees it. */
export function caught(runtime: Runtime, error: unknown): LuaValue {
  if (error instanceof LuaError) return error.value;
  // Recursion that is too deep for JavaScript is too deep for Lua.
  if (error instanceof RangeError) return runtime.failure('stack overflow').value;
  throw error;
}

export function baseLibrary(runtime: Runtime): Library {
  const next = (table: LuaValue, key: LuaValue): readonly LuaValue[] =>
    (table as LuaTable).next(key) ?? [undefined];
  const nextItem = (table: LuaValue, i: LuaValue): readonly LuaValue[] => {
    const at = (i as number) + 1;
    const value = (table as LuaTable).get(at);
    return value === undefined ? [undefined] : [at, value];
  };
  return {
    assert: (args) => {
      const { values } = args;
      if (truthy(args.any(0))) return values;
      throw runtime.failure(args.text(1, 'assertion failed!'));
    },
    collectgarbage: () => 0,
    error: (args) => {
      const value = args.values[0];
      if (typeof value === 'string' && args.integer(1, 1) > 0) throw runtime.failure(value);
      throw new LuaError(value);
    },
    getmetatable: (args) => {
      const value = args.any(0);
      const metatable = value instanceof LuaTable ? value.metatable : undefined;
      return metatable?.get('__metatable') ?? metatable;
    },
    ipairs: (args) => [nextItem, args.table(0), 0],
    loadstring: (args) => {
      try {
        return runtime.load(args.text(0), args.text(1, 'string'));
      } catch (error) {
        return [undefined, caught(runtime, error)];
      }
    },
    next: (args) => args.table(0).next(args.values[1]) ?? [undefined],
    pairs: (args) => [next, args.table(0), undefined],
    pcall: (args) => {
      const f = args.any(0);
      try {
        return [true, ...runtime.call(f, args.values.slice(1), runtime.line)];
      } catch (error) {
        return [false, caught(runtime, error)];
      }
    },
    rawequal: (args) => args.any(0) === args.any(1),
    rawget: (args) => args.table(0).get(args.any(1)),
    rawset: (args) => {
      const table = args.table(0);
      if (table.readOnly) throw runtime.failure('Attempt to modify a readonly table');
      table.set(args.any(1), args.values[2]);
      return table;
    },
    select: (args) => {
      if (args.values[0] === '#') return args.count - 1;
      const at = args.integer(0);
      if (at === 0 || at <= -args.count) throw args.bad(0, 'index out of range');
      return args.values.slice(at);
    },
    setmetatable: (args) => {
      const table = args.table(0);
      if (table.readOnly) throw runtime.failure('Attempt to modify a readonly table');
      if (table.metatable?.get('__metatable') !== undefined) {
        throw runtime.failure('cannot change a protected metatable');
      }
      if (args.count < 2 || args.values[1] !== undefined) table.metatable = args.table(1);
      else table.metatable = undefined;
      return table;
    },
    tonumber: (args) => {
      const base = args.integer(1, 10);
      if (base === 10) return toNumber(args.any(0));
      const text = args.text(0).trim().toLowerCase();
      const digits = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, base);
      const valid = text !== '' && [...text].every((letter) => digits.includes(letter));
      return valid ? parseInt(text, base) : undefined;
    },
    tostring: (args) => runtime.text(args.any(0)),
    type: (args) => typeOf(args.any(0)),
    unpack: (args) => unpack(args.table(0), args.integer(1, 1), args.values[2]),
    xpcall: (args) => {
      const handler = args.any(1);
      try {
        return [true, ...runtime.call(args.any(0), [], runtime.line)];
      } catch (error) {
        return [false, ...runtime.call(handler, [caught(runtime, error)], runtime.line)];
      }
    },
  };
}

function unpack(table: LuaTable, from: number, to: LuaValue): readonly LuaValue[] {
  const end = toNumber(to) ?? table.length;
  if (end - from >= 8000) throw new LuaError('too many results to unpack');
  const values: LuaValue[] = [];
  for (let i = from; i <= end; i++) values.push(table.get(i));
  return values;
}
