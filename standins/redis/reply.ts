/**
 * What a command answers, as values, and how they are written in RESP2 and RESP3.
 *
 * Byte strings (keys, values, replies) are JavaScript strings of one code unit per byte
 * everywhere in the stand-in: they compare as bytes do, and can be keys of maps.
 *
 * Source: the Redis serialization protocol specification, versions 2 and 3.
 */

import { formatDouble } from './numbers.js';

/** A simple string, such as +OK. */
export class Status {
  constructor(readonly text: string) {}
}

/** An error; commands throw it. Its first word is the code. */
export class ErrorReply {
  constructor(readonly message: string) {}
}

/** A floating-point number: a type of its own in RESP3, a bulk string in RESP2. */
export class Double {
  constructor(readonly value: number) {}
}

/** Keys and values in turn: a map in RESP3, an array in RESP2. */
export class MapReply {
  constructor(readonly flat: readonly Reply[]) {}
}

export class SetReply {
  constructor(readonly members: readonly Reply[]) {}
}

/** Text for people. */
export class Verbatim {
  constructor(readonly text: string) {}
}

/** A message that no command asked for. */
export class Push {
  constructor(readonly items: readonly Reply[]) {}
}

/** Something else in RESP3 than in RESP2. */
export class ByProtocol {
  constructor(
    readonly resp2: Reply,
    readonly resp3: Reply,
  ) {}
}

class NullArray {
  /** Keeps it apart from other empty classes. */
  readonly array = true;
}

class NoReply {
  readonly silent = true;
}

export type Reply =
  | string
  | number
  | bigint
  | boolean
  | null
  | Status
  | ErrorReply
  | Double
  | MapReply
  | SetReply
  | Verbatim
  | Push
  | ByProtocol
  | NullArray
  | NoReply
  | readonly Reply[];

export const OK = new Status('OK');
/** The array that is not there; RESP3 knows one null only. */
export const NULL_ARRAY = new NullArray();
/** The command has sent what it had to say, or will when it is no longer blocked. */
export const NO_REPLY = new NoReply();

export const fail = (message: string): never => {
  throw new ErrorReply(message);
};

export const syntaxError = (): never => fail('ERR syntax error');

export type Protocol = 2 | 3;

/** The bytes of a reply. */
export function encode(reply: Reply, protocol: Protocol): string {
  if (typeof reply === 'string') return bulk(reply);
  if (typeof reply === 'number' || typeof reply === 'bigint') return `:${reply}\r\n`;
  if (reply === null) return protocol === 3 ? '_\r\n' : '$-1\r\n';
  if (Array.isArray(reply)) return aggregate('*', reply as Reply[], protocol);
  if (reply instanceof Status) return `+${reply.text}\r\n`;
  if (reply instanceof ErrorReply) return `-${reply.message.replace(/[\r\n]/g, ' ')}\r\n`;
  if (typeof reply === 'boolean')
    return protocol === 3 ? `#${reply ? 't' : 'f'}\r\n` : `:${+reply}\r\n`;
  if (reply === NULL_ARRAY) return protocol === 3 ? '_\r\n' : '*-1\r\n';
  if (reply instanceof Double) {
    const text = formatDouble(reply.value);
    return protocol === 3 ? `,${text}\r\n` : bulk(text);
  }
  if (reply instanceof MapReply) {
    if (protocol === 2) return aggregate('*', reply.flat, 2);
    return `%${reply.flat.length / 2}\r\n${encodeAll(reply.flat, 3)}`;
  }
  if (reply instanceof SetReply) {
    return aggregate(protocol === 3 ? '~' : '*', reply.members, protocol);
  }
  if (reply instanceof Push) return aggregate(protocol === 3 ? '>' : '*', reply.items, protocol);
  if (reply instanceof ByProtocol) {
    return encode(protocol === 3 ? reply.resp3 : reply.resp2, protocol);
  }
  if (reply instanceof Verbatim) {
    if (protocol === 2) return bulk(reply.text);
    return `=${reply.text.length + 4}\r\ntxt:${reply.text}\r\n`;
  }
  return '';
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

function aggregate(sign: string, items: readonly Reply[], protocol: Protocol): string {
  return `${sign}${items.length}\r\n${encodeAll(items, protocol)}`;
}

function encodeAll(items: readonly Reply[], protocol: Protocol): string {
  let text = '';
  for (const item of items) text += encode(item, protocol);
  return text;
}
