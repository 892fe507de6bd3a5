/**
 * Commands on the bits of strings. The first bit of a byte is its most significant one.
 */

import { bigInteger, integer } from '../numbers.js';
import { fail, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { type CommandTable, read, write } from './command.js';
import { Options } from './options.js';

const BITS_MAX = 2 ** 32;

function bitOffset(text: string, width = 1, relative = false): number {
  const error = 'ERR bit offset is not an integer or out of range';
  const offset = integer(relative ? text.replace(/^#/, '') : text, error);
  const at = relative && text.startsWith('#') ? offset * width : offset;
  return at >= 0 && at + width <= BITS_MAX ? at : fail(error);
}

const bitAt = (value: string, offset: number): number =>
  offset >> 3 < value.length ? (value.charCodeAt(offset >> 3) >> (7 - (offset & 7))) & 1 : 0;

function bitOf(text: string): number {
  return text === '0' || text === '1' ? +text : fail('ERR bit is not an integer or out of range');
}

function setBit({ database }: Session, [, key, at, text]: string[]): Reply {
  const offset = bitOffset(at);
  const bit = bitOf(text);
  const old = database.string(key) ?? '';
  const bytes = Buffer.alloc(Math.max(old.length, (offset >> 3) + 1));
  bytes.write(old, 'latin1');
  const mask = 1 << (7 - (offset & 7));
  bytes[offset >> 3] = bit === 1 ? bytes[offset >> 3] | mask : bytes[offset >> 3] & ~mask;
  database.set(key, bytes.toString('latin1'), true);
  database.changed(key, 'setbit', '$');
  return bitAt(old, offset);
}

/** The bits, from and to (included), that a range of bytes or bits means. */
function bitRange(value: string, options: Options): [number, number] {
  let [first, last] = [0, value.length * 8 - 1];
  if (options.left === 0) return [first, last];
  const start = integer(options.value());
  const end = options.left > 0 ? integer(options.value()) : -1;
  const unit = options.is('bit') ? 1 : (options.is('byte'), 8);
  if (options.left > 0) syntaxError();
  const size = (value.length * 8) / unit;
  const clip = (at: number) => Math.max(at < 0 ? at + size : at, 0);
  first = clip(start) * unit;
  last = Math.min(clip(end), size - 1) * unit + unit - 1;
  return [first, last];
}

function bitCount({ database }: Session, words: string[]): Reply {
  if (words.length === 3) return syntaxError();
  const value = database.string(words[1]) ?? '';
  const [first, last] = bitRange(value, new Options(words, 2));
  let count = 0;
  for (let i = first; i <= last; i++) count += bitAt(value, i);
  return count;
}

function bitPosition({ database }: Session, words: string[]): Reply {
  if (words[2] !== '0' && words[2] !== '1') return fail('ERR The bit argument must be 1 or 0.');
  const bit = +words[2];
  const value = database.string(words[1]);
  if (value === undefined) return bit === 1 ? -1 : 0;
  const [first, last] = bitRange(value, new Options(words, 3));
  for (let i = first; i <= last; i++) if (bitAt(value, i) === bit) return i;
  // Without an end the string goes on with zeros.
  return bit === 0 && words.length < 5 && first <= last ? value.length * 8 : -1;
}

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function bitOperation({ database }: Session, words: string[]): Reply {
  const [, name, target, ...keys] = words;
  const operation = OPERATIONS[name.toLowerCase()];
  if (operation === undefined && name.toLowerCase() !== 'not') return syntaxError();
  if (operation === undefined && keys.length !== 1) {
    return fail('ERR BITOP NOT must be called with a single source key.');
  }
  const values = keys.map((key) => database.string(key) ?? '');
  const length = Math.max(...values.map((value) => value.length));
  if (length === 0) {
    database.delete(target);
    return 0;
  }
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) {
    const column = values.map((value) => (i < value.length ? value.charCodeAt(i) : 0));
    bytes[i] = operation === undefined ? ~column[0] : column.reduce(operation);
  }
  database.set(target, bytes.toString('latin1'));
  database.changed(target, 'set', '$');
  return length;
}

interface FieldType {
  readonly signed: boolean;
  readonly width: number;
}

function fieldType(text: string): FieldType {
  const [, sign, digits] = /^([iu])(\d{1,2})$/.exec(text) ?? [];
  const width = Number(digits);
  if (sign === undefined || width < 1 || width > (sign === 'i' ? 64 : 63)) {
    return fail(
      'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.',
    );
  }
  return { signed: sign === 'i', width };
}

const wrap = ({ signed, width }: FieldType, value: bigint): bigint =>
  signed ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);

/** The value as the overflow behaviour has it; undefined: it fails. */
function bound(type: FieldType, value: bigint, overflow: string): bigint | undefined {
  const wrapped = wrap(type, value);
  if (wrapped === value || overflow === 'wrap') return wrapped;
  if (overflow === 'fail') return undefined;
  const top = 1n << BigInt(type.signed ? type.width - 1 : type.width);
  return value >= top ? top - 1n : type.signed ? -top : 0n;
}

class BitField {
  changed = false;

  constructor(private bytes: Buffer) {}

  get value(): string {
    return this.bytes.toString('latin1');
  }

  get(type: FieldType, offset: number): bigint {
    let value = 0n;
    for (let i = 0; i < type.width; i++) {
      const byte = this.bytes[(offset + i) >> 3] ?? 0;
      value = (value << 1n) | BigInt((byte >> (7 - ((offset + i) & 7))) & 1);
    }
    return wrap(type, value);
  }

  set(type: FieldType, offset: number, value: bigint): void {
    const length = ((offset + type.width - 1) >> 3) + 1;
    if (length > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes], length);
    }
    for (let i = 0; i < type.width; i++) {
      const at = offset + i;
      const mask = 1 << (7 - (at & 7));
      const bit = (value >> BigInt(type.width - 1 - i)) & 1n;
      this.bytes[at >> 3] = bit === 1n ? this.bytes[at >> 3] | mask : this.bytes[at >> 3] & ~mask;
    }
    this.changed = true;
  }
}

function bitField({ database }: Session, words: string[], readOnly: boolean): Reply {
  const key = words[1];
  const field = new BitField(Buffer.from(database.string(key) ?? '', 'latin1'));
  const options = new Options(words, 2);
  const replies: Reply[] = [];
  let overflow = 'wrap';
  while (options.left > 0) {
    const name = options.name();
    if (readOnly && name !== 'get') {
      return fail('ERR BITFIELD_RO only supports the GET subcommand');
    }
    if (name === 'overflow') {
      overflow = options.value().toLowerCase();
      if (!['wrap', 'sat', 'fail'].includes(overflow)) fail('ERR Invalid OVERFLOW type specified');
      continue;
    }
    if (!['get', 'set', 'incrby'].includes(name)) return syntaxError();
    const type = fieldType(options.value());
    const offset = bitOffset(options.value(), type.width, true);
    const old = field.get(type, offset);
    if (name === 'get') {
      replies.push(old);
      continue;
    }
    const given = bigInteger(options.value());
    const value = bound(type, name === 'set' ? given : old + given, overflow);
    if (value !== undefined) field.set(type, offset, value);
    replies.push(value === undefined ? null : name === 'set' ? old : value);
  }
  if (field.changed) {
    database.set(key, field.value, true);
    database.changed(key, 'setbit', '$');
  }
  return replies;
}

export const bits: CommandTable = {
  setbit: write(4, setBit),
  getbit: read(3, ({ database }, [, key, at]) => bitAt(database.string(key) ?? '', bitOffset(at))),
  bitcount: read(-2, bitCount),
  bitpos: read(-3, bitPosition),
  bitop: write(-4, bitOperation, [2, -1, 1]),
  bitfield: write(-2, (session, words) => bitField(session, words, false)),
  bitfield_ro: read(-2, (session, words) => bitField(session, words, true)),
};
