/**
 * The library `cmsgpack`: MessagePack as lua-cmsgpack reads and writes it.
 *
 * Source: the MessagePack specification.
 */

import { libraryOf } from './arguments.js';
import type { Runtime } from './runtime.js';
import { LuaTable } from './table.js';
import type { LuaValue } from './value.js';

const NESTING_MAX = 16;

/** An integer of so many bytes, most significant first. */
function bigEndian(value: bigint, bytes: number): string {
  let text = '';
  for (let i = bytes - 1; i >= 0; i--) {
    text += String.fromCharCode(Number((value >> BigInt(8 * i)) & 0xffn));
  }
  return text;
}

const byte = (code: number): string => String.fromCharCode(code);

function packInteger(value: number): string {
  const big = BigInt(value);
  if (value >= 0) {
    if (value <= 0x7f) return byte(value);
    if (value <= 0xff) return byte(0xcc) + bigEndian(big, 1);
    if (value <= 0xffff) return byte(0xcd) + bigEndian(big, 2);
    if (value <= 0xffffffff) return byte(0xce) + bigEndian(big, 4);
    return byte(0xcf) + bigEndian(big, 8);
  }
  if (value >= -32) return byte(256 + value);
  if (value >= -0x80) return byte(0xd0) + bigEndian(big, 1);
  if (value >= -0x8000) return byte(0xd1) + bigEndian(big, 2);
  if (value >= -0x80000000) return byte(0xd2) + bigEndian(big, 4);
  return byte(0xd3) + bigEndian(big, 8);
}

function packNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return packInteger(value);
  const single = Math.fround(value) === value;
  const bytes = Buffer.alloc(single ? 4 : 8);
  if (single) bytes.writeFloatBE(value);
  else bytes.writeDoubleBE(value);
  return byte(single ? 0xca : 0xcb) + bytes.toString('latin1');
}

function packText(text: string): string {
  const { length } = text;
  const size = BigInt(length);
  if (length < 32) return byte(0xa0 | length) + text;
  if (length <= 0xff) return byte(0xd9) + bigEndian(size, 1) + text;
  if (length <= 0xffff) return byte(0xda) + bigEndian(size, 2) + text;
  return byte(0xdb) + bigEndian(size, 4) + text;
}

/** The number of items: in the first byte if it is small. */
function packCount(count: number, small: number, large: number): string {
  if (count < 16) return byte(small | count);
  if (count <= 0xffff) return byte(large) + bigEndian(BigInt(count), 2);
  return byte(large + 1) + bigEndian(BigInt(count), 4);
}

function packTable(table: LuaTable, depth: number): string {
  let count = 0;
  let isArray = true;
  for (const [key] of table.pairs()) {
    count++;
    if (typeof key !== 'number' || !Number.isInteger(key) || key < 1) isArray = false;
  }
  if (isArray && count === table.length) {
    let text = packCount(count, 0x90, 0xdc);
    for (let i = 1; i <= count; i++) text += pack(table.get(i), depth + 1);
    return text;
  }
  let text = packCount(count, 0x80, 0xde);
  for (const [key, value] of table.pairs()) text += pack(key, depth + 1) + pack(value, depth + 1);
  return text;
}

function pack(value: LuaValue, depth = 0): string {
  if (typeof value === 'boolean') return byte(value ? 0xc3 : 0xc2);
  if (typeof value === 'number') return packNumber(value);
  if (typeof value === 'string') return packText(value);
  return value instanceof LuaTable && depth < NESTING_MAX ? packTable(value, depth) : byte(0xc0);
}

class Unpacker {
  constructor(
    private readonly bytes: Buffer,
    private readonly runtime: Runtime,
    public position: number,
  ) {}

  get atEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  value(): LuaValue {
    const code = this.unsigned(1);
    if (code <= 0x7f) return code;
    if (code >= 0xe0) return code - 256;
    if (code <= 0x8f) return this.map(code & 0x0f);
    if (code <= 0x9f) return this.array(code & 0x0f);
    if (code <= 0xbf) return this.text(code & 0x1f);
    switch (code) {
      case 0xc0:
        return undefined;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xd9:
        return this.text(this.unsigned(1));
      case 0xc5:
      case 0xda:
        return this.text(this.unsigned(2));
      case 0xc6:
      case 0xdb:
        return this.text(this.unsigned(4));
      case 0xca:
        return this.take(4).readFloatBE();
      case 0xcb:
        return this.take(8).readDoubleBE();
      case 0xcc:
        return this.unsigned(1);
      case 0xcd:
        return this.unsigned(2);
      case 0xce:
        return this.unsigned(4);
      case 0xcf:
        return Number(this.take(8).readBigUInt64BE());
      case 0xd0:
        return this.take(1).readInt8();
      case 0xd1:
        return this.take(2).readInt16BE();
      case 0xd2:
        return this.take(4).readInt32BE();
      case 0xd3:
        return Number(this.take(8).readBigInt64BE());
      case 0xdc:
        return this.array(this.unsigned(2));
      case 0xdd:
        return this.array(this.unsigned(4));
      case 0xde:
        return this.map(this.unsigned(2));
      case 0xdf:
        return this.map(this.unsigned(4));
    }
    throw this.runtime.failure('Bad data format in input.');
  }

  private take(length: number): Buffer {
    const end = this.position + length;
    if (end > this.bytes.length) throw this.runtime.failure('Missing bytes in input.');
    const part = this.bytes.subarray(this.position, end);
    this.position = end;
    return part;
  }

  private unsigned(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  private text(length: number): string {
    return this.take(length).toString('latin1');
  }

  private array(count: number): LuaTable {
    const table = new LuaTable();
    for (let i = 1; i <= count; i++) table.set(i, this.value());
    return table;
  }

  private map(count: number): LuaTable {
    const table = new LuaTable();
    for (let i = 0; i < count; i++) {
      const key = this.value();
      table.set(key, this.value());
    }
    return table;
  }
}

export function cmsgpackLibrary(runtime: Runtime): LuaTable {
  /** Values from a position on: so many at most, and before them where the next begins. */
  const some = (text: string, most: number, start: number): LuaValue[] => {
    const unpacker = new Unpacker(Buffer.from(text, 'latin1'), runtime, start);
    const values: LuaValue[] = [];
    while (!unpacker.atEnd && values.length < most) values.push(unpacker.value());
    return [unpacker.atEnd ? -1 : unpacker.position, ...values];
  };
  return libraryOf(runtime, {
    pack: (args) => {
      if (args.count === 0) throw args.bad(-1, 'MessagePack pack needs input.');
      return args.values.map((value) => pack(value)).join('');
    },
    unpack: (args) => some(args.text(0), Infinity, 0).slice(1),
    unpack_one: (args) => some(args.text(0), 1, args.integer(1, 0)),
    unpack_limit: (args) => some(args.text(0), args.integer(1), args.integer(2, 0)),
  });
}
