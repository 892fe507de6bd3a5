/**
 * One connection: its bytes become requests, its replies become bytes.
 *
 * Replies wait until everything that has come is worked on, and go out together, as from Redis's
 * event loop.
 */

import type net from 'node:net';
import type { Engine } from './engine.js';
import { ErrorReply } from './reply.js';
import { RequestReader } from './request.js';
import { Session } from './session.js';

export class Connection {
  private readonly reader = new RequestReader();
  private readonly session: Session;
  private unsent = '';

  constructor(
    private readonly engine: Engine,
    private readonly socket: net.Socket,
  ) {
    engine.now = Date.now();
    this.session = new Session(
      engine.nextSessionId(),
      engine.databases[0],
      `${socket.remoteAddress}:${socket.remotePort}`,
      `${socket.localAddress}:${socket.localPort}`,
      {
        write: (text) => this.write(text),
        resume: () => this.work(),
        disconnect: () => this.disconnect(),
      },
    );
    engine.sessions.set(this.session.id, this.session);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.reader.add(chunk);
      engine.act(() => this.work());
    });
    // A connection that breaks is closed next.
    socket.on('error', () => {});
    socket.on('close', () => engine.act(() => engine.leave(this.session)));
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Takes requests as long as there are complete ones, and none of them waits. */
  private work(): void {
    const { session } = this;
    while (session.blocked === undefined && !session.closing) {
      let words: string[] | undefined;
      try {
        words = this.reader.next();
      } catch (error) {
        if (!(error instanceof ErrorReply)) throw error;
        session.reply(error);
        session.closing = true;
        break;
      }
      if (words === undefined) return;
      if (words.length > 0) this.engine.request(session, words);
    }
    if (session.closing) this.engine.unsent.add(this);
  }

  private write(text: string): void {
    this.unsent += text;
    this.engine.unsent.add(this);
  }

  /** Sends what waits. */
  send(): void {
    const text = this.unsent;
    this.unsent = '';
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (text !== '') this.socket.write(text, 'latin1');
    if (this.session.closing) this.socket.end();
  }

  private disconnect(): void {
    this.session.closing = true;
    this.engine.leave(this.session);
    this.engine.unsent.add(this);
  }
}
