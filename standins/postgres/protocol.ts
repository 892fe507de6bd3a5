/** Messages of the frontend/backend protocol 3.0: those that come in, and those that go out. */

import { SqlError } from './errors.js';
import type { OutputColumn } from './sql/expr.js';
import { packTypmod } from './types/names.js';

export interface Message {
  /** One letter; empty for what comes before the session begins. */
  readonly type: string;
  readonly body: Buffer;
}

/** Cuts the stream of bytes into messages. */
export class MessageReader {
  private rest: Buffer = Buffer.alloc(0);
  started = false;

  push(chunk: Buffer): Message[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const message = this.next();
      if (message === undefined) return messages;
      messages.push(message);
    }
  }

  private next(): Message | undefined {
    const head = this.started ? 1 : 0;
    const { rest } = this;
    if (rest.length < head + 4) return undefined;
    const length = rest.readInt32BE(head);
    if (length < 4 || length > 0x3fffffff) throw new SqlError('08P01', 'invalid message length');
    if (rest.length < head + length) return undefined;
    this.rest = rest.subarray(head + length);
    const body = rest.subarray(head + 4, head + length);
    if (this.started) return { type: String.fromCharCode(rest[0]!), body };
    // Requests for encryption and cancelling come before the real start.
    if (body.readInt32BE(0) >>> 16 === 3) this.started = true;
    return { type: '', body };
  }
}

/** Reads the fields of a message. */
export class Fields {
  private at = 0;

  constructor(private readonly body: Buffer) {}

  int32(): number {
    this.at += 4;
    return this.body.readInt32BE(this.at - 4);
  }

  int16(): number {
    this.at += 2;
    return this.body.readInt16BE(this.at - 2);
  }

  byte(): string {
    this.at += 1;
    return String.fromCharCode(this.body[this.at - 1]!);
  }

  text(): string {
    const end = this.body.indexOf(0, this.at);
    const text = this.body.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }

  bytes(length: number): Buffer {
    this.at += length;
    return this.body.subarray(this.at - length, this.at);
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.int16() }, read);
  }
}

type Part = Buffer | string;

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const cstring = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf8');

export function message(type: string, ...parts: Part[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? cstring(part) : part)),
  );
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

export const authenticationOk = () => message('R', int32(0));
export const parameterStatus = (name: string, value: string) => message('S', name, value);
export const backendKey = (pid: number, secret: number) => message('K', int32(pid), int32(secret));
export const readyForQuery = (status: string) => message('Z', Buffer.from(status));
export const parseComplete = () => message('1');
export const bindComplete = () => message('2');
export const closeComplete = () => message('3');
export const noData = () => message('n');
export const portalSuspended = () => message('s');
export const emptyQuery = () => message('I');
export const commandComplete = (tag: string) => message('C', tag);
export const notification = (pid: number, channel: string, payload: string) =>
  message('A', int32(pid), channel, payload);

export function parameterDescription(oids: readonly number[]): Buffer {
  return message('t', int16(oids.length), ...oids.map(int32));
}

export function rowDescription(
  columns: readonly OutputColumn[],
  formats: readonly number[],
): Buffer {
  const fields = columns.flatMap(({ name, type, typmod, source }, i) => [
    cstring(name),
    int32(source?.table ?? 0),
    int16(source?.column ?? 0),
    int32(type.oid === 705 ? 25 : type.oid),
    int16(type.length),
    int32(packTypmod(type, typmod)),
    int16(formatAt(formats, i)),
  ]);
  return message('T', int16(columns.length), ...fields);
}

/** One format stands for all columns; none means text. */
export const formatAt = (formats: readonly number[], i: number): number =>
  formats.length === 1 ? formats[0]! : (formats[i] ?? 0);

export function dataRow(values: readonly (Buffer | null)[]): Buffer {
  let length = 6;
  for (const value of values) length += 4 + (value?.length ?? 0);
  const bytes = Buffer.allocUnsafe(length + 1);
  bytes[0] = 0x44;
  bytes.writeInt32BE(length, 1);
  bytes.writeInt16BE(values.length, 5);
  let at = 7;
  for (const value of values) {
    bytes.writeInt32BE(value === null ? -1 : value.length, at);
    at += 4;
    if (value !== null) at += value.copy(bytes, at);
  }
  return bytes;
}

/** An error or a notice, with all of its fields. */
export function report(
  type: 'E' | 'N',
  severity: string,
  code: string,
  text: string,
  fields: SqlError['fields'] = {},
): Buffer {
  const list: [string, string | number | undefined][] = [
    ['S', severity],
    ['V', severity],
    ['C', code],
    ['M', text],
    ['D', fields.detail],
    ['H', fields.hint],
    ['P', fields.position],
    ['W', fields.where],
    ['s', fields.schema],
    ['t', fields.table],
    ['c', fields.column],
    ['d', fields.datatype],
    ['n', fields.constraint],
  ];
  const parts = list
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => cstring(`${name}${value}`));
  return message(type, ...parts, Buffer.from([0]));
}
