/**
 * A client that shows replies as they are on the wire: one line per reply, with the signs of RESP.
 */

import { once } from 'node:events';
import net from 'node:net';

/** A command as text: words, some in double quotes with escapes of JSON. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g)].map(([word]) =>
    word.startsWith('"') ? (JSON.parse(word) as string) : word,
  );
}

function requestOf(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

interface Parsed {
  readonly shown: string;
  readonly end: number;
}

/** The reply that begins at a position, or undefined while it is not complete. */
function parse(text: string, at: number): Parsed | undefined {
  const lineEnd = text.indexOf('\r\n', at);
  if (lineEnd < 0) return undefined;
  const sign = text[at];
  const rest = text.slice(at + 1, lineEnd);
  const end = lineEnd + 2;
  if ('$='.includes(sign)) {
    if (rest === '-1') return { shown: 'nil', end };
    const bulkEnd = end + Number(rest);
    if (text.length < bulkEnd + 2) return undefined;
    return { shown: JSON.stringify(text.slice(end, bulkEnd)), end: bulkEnd + 2 };
  }
  if (!'*%~>'.includes(sign)) return { shown: `${sign}${rest}`, end };
  if (rest === '-1') return { shown: 'nil-array', end };
  const items: string[] = [];
  let position = end;
  const count = Number(rest) * (sign === '%' ? 2 : 1);
  for (let i = 0; i < count; i++) {
    const item = parse(text, position);
    if (item === undefined) return undefined;
    items.push(item.shown);
    position = item.end;
  }
  return { shown: `${sign === '*' ? '' : sign}[${items.join(' ')}]`, end: position };
}

export class RawClient {
  private text = '';
  private wake = (): void => {};

  private constructor(private readonly socket: net.Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.text += chunk;
      this.wake();
    });
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  send(command: string): void {
    this.socket.write(requestOf(wordsOf(command)), 'latin1');
  }

  /** Sends bytes as they are. */
  sendRaw(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** The next reply. */
  async receive(): Promise<string> {
    for (;;) {
      const reply = parse(this.text, 0);
      if (reply !== undefined) {
        this.text = this.text.slice(reply.end);
        return reply.shown;
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async command(command: string): Promise<string> {
    this.send(command);
    return this.receive();
  }

  close(): void {
    this.socket.destroy();
  }
}
