/**
 * Responses of HTTP/2 servers. Node adds a `date` from a text that it keeps for a second of real
 * time, so the virtual one is put there first. Files are sent by the native layer, which does not
 * reach the simulated disk.
 */

import { readDate } from '../clock.js';
import { patch } from '../facade.js';
import { pristine } from '../pristine.js';
import { simulated } from '../simulated.js';
import { throws } from '../uncontrolled.js';

const { apply } = Reflect;
const { Date: RealDate } = pristine;

type AnyFunction = (...args: any[]) => any;
type Headers = Record<string, unknown>;

interface Options {
  readonly sendDate?: boolean | null;
}

const known = new WeakSet<object>();

/** @param prototype of the streams of servers; of others it leaves alone what they lack */
export function installResponses(prototype: object): void {
  if (known.has(prototype)) return;
  known.add(prototype);
  patch(prototype, 'respond', 'http2.ServerHttp2Stream.respond', respondWith);
  for (const name of ['respondWithFD', 'respondWithFile']) {
    const place = `http2.ServerHttp2Stream.${name}`;
    patch(prototype, name, place, throws(place));
  }
}

function respondWith(real: AnyFunction): AnyFunction {
  return function respond(this: unknown, headers: unknown, options?: Options, ...rest: unknown[]) {
    const scheduler = (options?.sendDate ?? true) ? simulated() : undefined;
    const date = scheduler && new RealDate(readDate(scheduler)).toUTCString();
    const dated = date === undefined ? headers : withDate(headers, date);
    return apply(real, this, [dated, options, ...rest]) as unknown;
  };
}

/** The headers with a date, in the order in which Node puts them. */
function withDate(headers: unknown, date: string): unknown {
  if (Array.isArray(headers)) {
    const names = headers.filter((_, index) => index % 2 === 0).map((name) => String(name));
    if (names.some((name) => name.toLowerCase() === 'date')) return headers;
    const status = names.includes(':status') ? [] : [':status', 200];
    return [...status, ...(headers as unknown[]), 'date', date];
  }
  if (typeof headers !== 'object') return headers;
  const given: Headers = { ...(headers as Headers | null) };
  if (given.date !== undefined) return headers;
  given[':status'] ??= 200;
  given.date = date;
  return given;
}
