/**
 * The operations of Lua, as the compiled scripts call them, and its errors.
 */

import { Compiler } from './compiler.js';
import { LuaTable } from './table.js';
import {
  LuaError,
  type LuaFunction,
  type LuaValue,
  toNumber,
  toText,
  truthy,
  typeOf,
} from './value.js';

const NONE: readonly LuaValue[] = Object.freeze([]);

type Arithmetic = (a: number, b: number) => number;

/** One world of Lua: its globals, and where it is. */
export class Runtime {
  readonly globals = new LuaTable();
  /** The methods of strings. */
  readonly strings = new LuaTable();
  /** The chunk and line that run. */
  chunk = 'user_script';
  line = 0;
  private readonly operations = this.createOperations();

  /**
   * Compiles a chunk to a function.
   * @throws {LuaError} for what is not Lua
   */
  load(source: string, chunk: string): LuaFunction {
    const code = new Compiler(source, chunk).compile();
    const create = new Function('R', code) as (operations: unknown) => LuaFunction;
    return create(this.operations);
  }

  /** An error with the place where it happened. */
  failure(message: string, line = this.line): LuaError {
    this.line = line;
    return new LuaError(`${this.chunk}:${line}: ${message}`);
  }

  metamethod(value: LuaValue, name: string): LuaValue {
    if (value instanceof LuaTable) return value.metatable?.get(name);
    return typeof value === 'string' && name === '__index' ? this.strings : undefined;
  }

  call = (
    f: LuaValue,
    args: readonly LuaValue[],
    line: number,
    about = '',
  ): readonly LuaValue[] => {
    this.line = line;
    if (typeof f === 'function') return f(...args);
    const handler = this.metamethod(f, '__call');
    if (typeof handler === 'function') return handler(f, ...args);
    throw this.failure(`attempt to call ${described(f, about)}`, line);
  };

  index = (object: LuaValue, key: LuaValue, line: number, about = ''): LuaValue => {
    if (object instanceof LuaTable) {
      const value = object.get(key);
      if (value !== undefined || object.metatable === undefined) return value;
    }
    const handler = this.metamethod(object, '__index');
    if (handler === undefined) {
      if (object instanceof LuaTable) return undefined;
      throw this.failure(`attempt to index ${described(object, about)}`, line);
    }
    this.line = line;
    if (typeof handler === 'function') return handler(object, key)[0];
    return this.index(handler, key, line);
  };

  setIndex = (object: LuaValue, key: LuaValue, value: LuaValue, line: number): void => {
    if (!(object instanceof LuaTable)) {
      throw this.failure(`attempt to index ${described(object, '')}`, line);
    }
    if (object.readOnly) throw this.failure('Attempt to modify a readonly table', line);
    if (object.metatable !== undefined && object.get(key) === undefined) {
      const handler = object.metatable.get('__newindex');
      if (typeof handler === 'function') {
        handler(object, key, value);
        return;
      }
      if (handler !== undefined) {
        this.setIndex(handler, key, value, line);
        return;
      }
    }
    this.guarded(line, () => object.set(key, value));
  };

  /** Text for people, as tostring gives it. */
  text(value: LuaValue): string {
    const handler = this.metamethod(value, '__tostring');
    if (typeof handler === 'function') return toText(handler(value)[0]) ?? '';
    if (value === undefined) return 'nil';
    if (typeof value === 'boolean') return String(value);
    return toText(value) ?? `${typeOf(value)}: 0x${'0'.repeat(8)}`;
  }

  /** Errors of tables get the place. */
  private guarded(line: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof LuaError) throw this.failure(String(error.value), line);
      throw error;
    }
  }

  private arithmetic(event: string, compute: Arithmetic) {
    return (a: LuaValue, b: LuaValue, line: number, aboutA = '', aboutB = ''): LuaValue => {
      if (typeof a === 'number' && typeof b === 'number') return compute(a, b);
      const [x, y] = [toNumber(a), toNumber(b)];
      if (x !== undefined && y !== undefined) return compute(x, y);
      const handler = this.metamethod(a, event) ?? this.metamethod(b, event);
      if (typeof handler === 'function') return handler(a, b)[0];
      const culprit = x === undefined ? described(a, aboutA) : described(b, aboutB);
      throw this.failure(`attempt to perform arithmetic on ${culprit}`, line);
    };
  }

  private compare(
    event: string,
    numbers: (a: number, b: number) => boolean,
    strings: (a: string, b: string) => boolean,
  ) {
    return (a: LuaValue, b: LuaValue, line: number): boolean => {
      if (typeof a === 'number' && typeof b === 'number') return numbers(a, b);
      if (typeof a === 'string' && typeof b === 'string') return strings(a, b);
      const handler = this.metamethod(a, event);
      if (typeof handler === 'function' && handler === this.metamethod(b, event)) {
        return truthy(handler(a, b)[0]);
      }
      const [one, other] = [typeOf(a), typeOf(b)];
      const what = one === other ? `two ${one} values` : `${one} with ${other}`;
      throw this.failure(`attempt to compare ${what}`, line);
    };
  }

  less = this.compare(
    '__lt',
    (a, b) => a < b,
    (a, b) => a < b,
  );

  private createOperations() {
    const concat = (a: LuaValue, b: LuaValue, line: number, aboutA = '', aboutB = ''): LuaValue => {
      const [x, y] = [toText(a), toText(b)];
      if (x !== undefined && y !== undefined) return x + y;
      const handler = this.metamethod(a, '__concat') ?? this.metamethod(b, '__concat');
      if (typeof handler === 'function') return handler(a, b)[0];
      const culprit = x === undefined ? described(a, aboutA) : described(b, aboutB);
      throw this.failure(`attempt to concatenate ${culprit}`, line);
    };
    const table = (items: LuaValue[], pairs: LuaValue[], line: number): LuaTable => {
      const created = new LuaTable();
      this.guarded(line, () => {
        for (let i = 0; i < pairs.length; i += 2) created.set(pairs[i], pairs[i + 1]);
        items.forEach((item, i) => created.set(i + 1, item));
      });
      return created;
    };
    return {
      NONE,
      truthy,
      not: (value: LuaValue) => !truthy(value),
      negate: (value: LuaValue, line: number, about = ''): LuaValue => {
        const number = toNumber(value);
        if (number !== undefined) return -number;
        const handler = this.metamethod(value, '__unm');
        if (typeof handler === 'function') return handler(value)[0];
        throw this.failure(`attempt to perform arithmetic on ${described(value, about)}`, line);
      },
      lengthOf: (value: LuaValue, line: number, about = ''): LuaValue => {
        if (typeof value === 'string' || value instanceof LuaTable) return value.length;
        throw this.failure(`attempt to get length of ${described(value, about)}`, line);
      },
      equal: (a: LuaValue, b: LuaValue): boolean => {
        if (a === b) return true;
        if (!(a instanceof LuaTable) || !(b instanceof LuaTable)) return false;
        const handler = a.metatable?.get('__eq');
        if (typeof handler !== 'function' || handler !== b.metatable?.get('__eq')) return false;
        return truthy(handler(a, b)[0]);
      },
      less: (a: LuaValue, b: LuaValue, line: number) => this.less(a, b, line),
      lessEqual: this.compare(
        '__le',
        (a, b) => a <= b,
        (a, b) => a <= b,
      ),
      add: this.arithmetic('__add', (a, b) => a + b),
      subtract: this.arithmetic('__sub', (a, b) => a - b),
      multiply: this.arithmetic('__mul', (a, b) => a * b),
      divide: this.arithmetic('__div', (a, b) => a / b),
      modulo: this.arithmetic('__mod', (a, b) => a - Math.floor(a / b) * b),
      power: this.arithmetic('__pow', (a, b) => a ** b),
      concat,
      index: (object: LuaValue, key: LuaValue, line: number, about?: string) =>
        this.index(object, key, line, about),
      setIndex: (object: LuaValue, key: LuaValue, value: LuaValue, line: number) =>
        this.setIndex(object, key, value, line),
      global: (name: string, line: number) => {
        const value = this.globals.get(name);
        return value === undefined ? this.index(this.globals, name, line) : value;
      },
      setGlobal: (name: string, value: LuaValue, line: number) =>
        this.setIndex(this.globals, name, value, line),
      call: (f: LuaValue, args: readonly LuaValue[], line: number, about?: string) =>
        this.call(f, args, line, about),
      callMethod: (
        object: LuaValue,
        name: string,
        args: readonly LuaValue[],
        line: number,
        about?: string,
      ) =>
        this.call(
          this.index(object, name, line, about),
          [object, ...args],
          line,
          `method '${name}'`,
        ),
      table,
      loop: (value: LuaValue, what: string, line: number): number => {
        const number = toNumber(value);
        if (number !== undefined) return number;
        throw this.failure(`'for' ${what} must be a number`, line);
      },
    };
  }
}

/** A value in an error: by the name of where it was, if that is known. */
function described(value: LuaValue, about: string): string {
  return about === '' ? `a ${typeOf(value)} value` : `${about} (a ${typeOf(value)} value)`;
}
