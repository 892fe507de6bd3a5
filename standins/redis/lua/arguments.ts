/**
 * Checks the arguments of library functions, with the errors of Lua's own library.
 */

import type { Runtime } from './runtime.js';
import { LuaTable } from './table.js';
import {
  type LuaError,
  type LuaFunction,
  type LuaValue,
  toNumber,
  toText,
  typeOf,
} from './value.js';

export class Arguments {
  constructor(
    private readonly runtime: Runtime,
    private readonly name: string,
    readonly values: readonly LuaValue[],
  ) {}

  get count(): number {
    return this.values.length;
  }

  any(i: number): LuaValue {
    if (i >= this.values.length) throw this.bad(i, 'value expected');
    return this.values[i];
  }

  number(i: number, otherwise?: number): number {
    const value = this.values[i];
    if (value === undefined && otherwise !== undefined) return otherwise;
    return toNumber(value) ?? this.wrong(i, 'number');
  }

  integer(i: number, otherwise?: number): number {
    return Math.trunc(this.number(i, otherwise));
  }

  text(i: number, otherwise?: string): string {
    const value = this.values[i];
    if (value === undefined && otherwise !== undefined) return otherwise;
    return toText(value) ?? this.wrong(i, 'string');
  }

  table(i: number): LuaTable {
    const value = this.values[i];
    return value instanceof LuaTable ? value : this.wrong(i, 'table');
  }

  function(i: number): LuaFunction {
    const value = this.values[i];
    return typeof value === 'function' ? (value as LuaFunction) : this.wrong(i, 'function');
  }

  bad(i: number, what: string): LuaError {
    return this.runtime.failure(`bad argument #${i + 1} to '${this.name}' (${what})`);
  }

  private wrong(i: number, wanted: string): never {
    const got = i < this.values.length ? typeOf(this.values[i]) : 'no value';
    throw this.bad(i, `${wanted} expected, got ${got}`);
  }
}

export type Library = Readonly<Record<string, (args: Arguments) => LuaValue | readonly LuaValue[]>>;

/** A table of functions that check their arguments. */
export function libraryOf(runtime: Runtime, library: Library): LuaTable {
  const table = new LuaTable();
  for (const [name, run] of Object.entries(library)) {
    table.set(name, (...values) => {
      const result = run(new Arguments(runtime, name, values));
      return Array.isArray(result) ? (result as readonly LuaValue[]) : [result as LuaValue];
    });
  }
  return table;
}
