/**
 * The library `struct`: numbers and strings as bytes, as C lays them out.
 */

import type { Arguments, Library } from './arguments.js';
import type { Runtime } from './runtime.js';
import { type LuaValue } from './value.js';

const SIZES: Readonly<Record<string, number>> = { b: 1, h: 2, l: 8, t: 8, i: 4, f: 4, d: 8, x: 1 };

interface Item {
  readonly letter: string;
  readonly size: number;
  readonly little: boolean;
  /** Bytes that go before it, so that it begins at a multiple of its size. */
  readonly alignment: number;
}

function itemsOf(runtime: Runtime, format: string): Item[] {
  let little = true;
  let largest = 1;
  const items: Item[] = [];
  for (const [, letter, digits] of format.matchAll(/(.)(\d*)/gs)) {
    if (letter === '>' || letter === '<') little = letter === '<';
    else if (letter === '!') largest = digits === '' ? 8 : Number(digits);
    else if (letter === '=' || letter === ' ') little = letter === '=' ? true : little;
    else {
      const given = digits === '' ? undefined : Number(digits);
      const known =
        letter === 's' ? 0 : letter === 'c' ? (given ?? 1) : SIZES[letter.toLowerCase()];
      if (known === undefined) throw runtime.failure(`invalid format option '${letter}'`);
      const size = /[iI]/.test(letter) ? (given ?? known) : known;
      const alignment = /[bhlid]/i.test(letter) && size > 1 ? Math.min(size, largest) : 1;
      items.push({ letter, size, little, alignment });
    }
  }
  return items;
}

const padding = (length: number, { alignment }: Item): number =>
  (alignment - (length % alignment)) % alignment;

function integerBytes(value: number, { size, little }: Item): string {
  const bits = BigInt.asUintN(8 * size, BigInt(Math.trunc(value)));
  const codes = Array.from({ length: size }, (_, i) => Number((bits >> BigInt(8 * i)) & 0xffn));
  return String.fromCharCode(...(little ? codes : codes.reverse()));
}

function packItem(args: Arguments, i: number, item: Item): string {
  const { letter, size, little } = item;
  if (letter === 'x') return '\0';
  if (letter === 's') return `${args.text(i)}\0`;
  if (letter === 'c') {
    const text = args.text(i);
    const length = size === 0 ? text.length : size;
    if (text.length < length) throw args.bad(i, 'string too short');
    return text.slice(0, length);
  }
  if (letter !== 'f' && letter !== 'd') return integerBytes(args.number(i), item);
  const bytes = Buffer.alloc(size);
  if (letter === 'f') bytes.writeFloatLE(args.number(i));
  else bytes.writeDoubleLE(args.number(i));
  return (little ? bytes : bytes.reverse()).toString('latin1');
}

function unpackNumber(bytes: Buffer, { letter, size, little }: Item): number {
  const ordered = little ? bytes : Buffer.from(bytes).reverse();
  if (letter === 'f') return ordered.readFloatLE();
  if (letter === 'd') return ordered.readDoubleLE();
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(ordered[i]);
  const signed = letter === letter.toLowerCase() && letter !== 't';
  return Number(signed ? BigInt.asIntN(8 * size, bits) : bits);
}

function unpack(runtime: Runtime, args: Arguments): LuaValue[] {
  const bytes = Buffer.from(args.text(1), 'latin1');
  let position = args.integer(2, 1) - 1;
  const values: LuaValue[] = [];
  for (const item of itemsOf(runtime, args.text(0))) {
    position += padding(position, item);
    let { size } = item;
    if (item.letter === 's') {
      const end = bytes.indexOf(0, position);
      if (end < 0) throw runtime.failure('unfinished string in data');
      values.push(bytes.toString('latin1', position, end));
      position = end + 1;
      continue;
    }
    if (item.letter === 'c' && size === 0) {
      const length = values.pop();
      if (typeof length !== 'number') throw runtime.failure("format 'c0' needs a previous size");
      size = length;
    }
    if (position + size > bytes.length) throw args.bad(1, 'data string too short');
    const part = bytes.subarray(position, position + size);
    if (item.letter === 'c') values.push(part.toString('latin1'));
    else if (item.letter !== 'x') values.push(unpackNumber(part, item));
    position += size;
  }
  return [...values, position + 1];
}

export function structLibrary(runtime: Runtime): Library {
  return {
    pack: (args) => {
      let text = '';
      let next = 1;
      for (const item of itemsOf(runtime, args.text(0))) {
        text += '\0'.repeat(padding(text.length, item));
        text += packItem(args, item.letter === 'x' ? 0 : next++, item);
      }
      return text;
    },
    unpack: (args) => unpack(runtime, args),
    size: (args) => {
      let length = 0;
      for (const item of itemsOf(runtime, args.text(0))) {
        if (item.letter === 's' || (item.letter === 'c' && item.size === 0)) {
          throw args.bad(0, `variable-size format in 'size'`);
        }
        length += padding(length, item) + item.size;
      }
      return length;
    },
  };
}
