/**
 * The `Date` header of responses. Node keeps its text for a second of real time, so the line is
 * written anew with the virtual time; it is as long as before.
 */

import http from 'node:http';
import { readDate } from '../clock.js';
import { patch } from '../facade.js';
import { pristine } from '../pristine.js';
import { simulated } from '../simulated.js';

const { apply } = Reflect;
const { Date: RealDate } = pristine;
const START = '\r\nDate: ';
/** `Thu, 01 Jan 2026 00:00:00 GMT` */
const LENGTH = 29;

type AnyFunction = (...args: any[]) => any;

/** A message whose header is written. */
interface Outgoing {
  sendDate: boolean;
  _header: string;
  hasHeader(name: string): boolean;
}

export function installDateHeader(): void {
  const { prototype } = http.OutgoingMessage;
  patch(prototype, '_storeHeader', 'http.OutgoingMessage._storeHeader', (real: AnyFunction) => {
    return function (this: Outgoing, firstLine: string, headers: unknown) {
      apply(real, this, [firstLine, headers]);
      const scheduler = this.sendDate ? simulated() : undefined;
      if (scheduler === undefined || this.hasHeader('date') || namesDate(headers)) return;
      const { _header: header } = this;
      const at = header.lastIndexOf(START) + START.length;
      if (at < START.length) return;
      const date = new RealDate(readDate(scheduler)).toUTCString();
      this._header = header.slice(0, at) + date + header.slice(at + LENGTH);
    };
  });
}

/** Whether the program has given the header itself: in an object, in pairs, or in a flat list. */
function namesDate(headers: unknown): boolean {
  if (typeof headers !== 'object' || headers === null) return false;
  const names = Array.isArray(headers) ? headers.flat() : Object.keys(headers);
  return names.some((name) => typeof name === 'string' && name.toLowerCase() === 'date');
}
