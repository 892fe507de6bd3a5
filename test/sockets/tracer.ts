/**
 * What a scenario shows of itself: what each of its parts saw, in order. The order of what
 * different parts saw is left open, since it is open between real sockets too.
 */

import type { EventEmitter } from 'node:events';

/** A small program. It is over when the event loop has nothing left. */
export type Scenario = (t: Tracer) => unknown;
export type Scenarios = Readonly<Record<string, Scenario>>;

export type Seen = Record<string, string[]>;

/** Bytes are told of when something else follows: how they are cut up is open. */
interface Bytes {
  text: string;
  length: number;
}

export class Tracer {
  readonly seen: Seen = {};
  private readonly bytes = new Map<string, Bytes>();
  private readonly ports = new Map<number, string>();

  /** A port by a name: its number differs from run to run. */
  port(port: number | undefined, name: string): number {
    this.ports.set(port!, name);
    return port!;
  }

  note(who: string, ...what: unknown[]): void {
    this.flush(who);
    this.add(who, what.map((one) => this.show(one)).join(' '));
  }

  /** Notes the events of a socket or server, by name. */
  watch<T extends EventEmitter>(who: string, emitter: T, ...events: string[]): T {
    for (const event of events) {
      emitter.on(event, (...args: unknown[]) => {
        if (event === 'data' || event === 'message') this.data(who, event, args);
        else this.note(who, event, ...args.filter((one) => !isEmitter(one)));
      });
    }
    return emitter;
  }

  /** All that a socket tells. */
  socket<T extends EventEmitter>(who: string, socket: T): T {
    return this.watch(who, socket, ...EVENTS);
  }

  error(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    const { name, code, errno, syscall, address, port, message } =
      error as NodeJS.ErrnoException & {
        address?: string;
        port?: number;
      };
    const fields = { code, errno, syscall, address, port };
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    const shown = known.map(([key, value]) => `${key}=${value}`).join(' ');
    return this.named(`${name}: ${message} (${shown})`);
  }

  finish(): Seen {
    for (const who of [...this.bytes.keys()]) this.flush(who);
    return this.seen;
  }

  private data(who: string, event: string, [chunk, from]: unknown[]): void {
    if (event === 'message') {
      const { address, family } = from as { address: string; family: string };
      return this.note(who, 'message', String(chunk), address, family);
    }
    const { text, length } = this.bytes.get(who) ?? { text: '', length: 0 };
    const more = chunk as Buffer | string;
    this.bytes.set(who, { text: text + String(more).slice(0, 40), length: length + more.length });
  }

  private flush(who: string): void {
    const bytes = this.bytes.get(who);
    if (bytes === undefined) return;
    this.bytes.delete(who);
    const { text, length } = bytes;
    this.add(who, length > 100 ? `data of ${length} bytes` : `data ${JSON.stringify(text)}`);
  }

  private add(who: string, line: string): void {
    (this.seen[who] ??= []).push(line);
  }

  private show(value: unknown): string {
    if (value instanceof Error) return this.error(value);
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
    return this.named(text);
  }

  private named(text: string): string {
    let result = text;
    for (const [port, name] of this.ports) result = result.replaceAll(String(port), `<${name}>`);
    return result;
  }
}

const EVENTS = ['lookup', 'connect', 'ready', 'data', 'end', 'finish', 'drain', 'timeout', 'error'];
EVENTS.push('close', 'secureConnect');

function isEmitter(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'emit' in value;
}
