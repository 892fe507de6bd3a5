/**
 * A debugger for tests: the inspector protocol over a WebSocket, as far as Node's inspector speaks
 * it. Node 20 has no WebSocket of its own. Node sends every message in one frame.
 */

import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';

const TEXT = 1;

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class InspectorClient extends EventEmitter {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private received = Buffer.alloc(0);
  private lastId = 0;

  /** Attaches to a `ws:` address as Node prints it. */
  static async attach(address: string): Promise<InspectorClient> {
    const request = http.get(address.replace(/^ws:/, 'http:'), {
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      },
    });
    const [, socket, head] = (await once(request, 'upgrade')) as [unknown, Socket, Buffer];
    return new InspectorClient(socket, head);
  }

  private constructor(
    private readonly socket: Socket,
    head: Buffer,
  ) {
    super();
    this.receive(head);
    socket.on('data', (bytes: Buffer) => this.receive(bytes));
    // A replay that has ended takes its inspector with it.
    socket.on('error', () => undefined);
  }

  /** @throws what the inspector answers instead of a result */
  async send<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.lastId;
    const answered = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.socket.write(frame(JSON.stringify({ id, method, params })));
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  /** The parameters of the next event of this name. */
  async next<T>(method: string): Promise<T> {
    const [params] = (await once(this, method)) as [T];
    return params;
  }

  detach(): void {
    this.socket.destroy();
  }

  private receive(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
    for (;;) {
      if (this.received.length < 2) return;
      const short = this.received[1];
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.received.length < start) return;
      const length =
        short === 126
          ? this.received.readUInt16BE(2)
          : short === 127
            ? Number(this.received.readBigUInt64BE(2))
            : short;
      if (this.received.length < start + length) return;
      const isText = (this.received[0] & 0x0f) === TEXT;
      const text = this.received.toString('utf8', start, start + length);
      this.received = this.received.subarray(start + length);
      if (isText) this.take(JSON.parse(text) as Answer);
    }
  }

  private take(message: Answer): void {
    if (message.id === undefined) this.emit(message.method!, message.params);
    else this.waiting.get(message.id)?.(message);
  }
}

/** A frame of a client is masked; a mask of zeros leaves the text as it is. */
function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(8);
  head[0] = 0x80 | TEXT;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}
