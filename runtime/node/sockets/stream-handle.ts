/**
 * The handle of one end of a simulated connection, which stands where Node's own `TCP` and `Pipe`
 * stand.
 *
 * It is a native stream (JSStream), so TLS and the HTTP parser read and write it as they do a real
 * one; Node's JavaScript calls its methods. What arrives waits in `received` until somebody reads.
 * The receiver takes a window of bytes: when that is full, writes wait. After lib/net.js,
 * lib/internal/stream_base_commons.js and src/stream_base.cc.
 */

import { CallbackEvent, type QueuedEvent } from '../../kernel/event-queue.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import type { SourceSite } from '../../tasks/sites.js';
import type { Host } from '../host.js';
import { VirtualEvent } from '../virtual-event.js';
import { JSStream, streamWrap, UV, type NativeStream } from './bindings.js';
import { Channel, END, RESET } from './channel.js';
import { SimulatedNetwork } from './network.js';
import { nextTask, ownerNow, type Owner } from './owner.js';
import { HostSockets, type Closable } from './ports.js';

/** How many bytes one read gives at most, as in libuv. */
const READ_SIZE = 65536;
/** How many bytes may be under way and unread. */
const WINDOW = 2 ** 20;

const { streamBaseState, kReadBytesOrError, kBytesWritten, kLastWriteWasAsync, kLastWriteErr } =
  streamWrap;

type Encoding = 'latin1' | 'utf8' | 'ascii' | 'ucs2';

/** What Node's JavaScript hands along with an operation, and is called back on. */
export interface Request {
  oncomplete?: (...args: unknown[]) => void;
  /** Set on writes since Node 26, whose status may come before `oncomplete` is set. */
  writeStatus?: null;
}

/** A write that waits for room. */
interface PendingWrite {
  rest: Uint8Array;
  /** Told when all of it is sent, or that it never will be. */
  readonly done: (status: number) => void;
}

export abstract class StreamHandle extends JSStream implements Closable {
  declare readonly scheduler: Scheduler;
  declare readonly host: Host;
  declare readonly network: SimulatedNetwork;
  declare private readonly owner: Owner;
  declare peer: StreamHandle | undefined;
  declare private out: Channel | undefined;
  declare closed: boolean;
  /** What reads it in the native layer, and is read itself: TLS. */
  declare above: NativeStream | undefined;

  declare private readonly received: Uint8Array[];
  declare private unread: number;
  /** How many bytes are under way to it or unread. */
  declare private taken: number;
  declare private ended: boolean;
  /** Whether the end has been told to the reader. */
  declare private atEnd: boolean;
  declare private sentEnd: boolean;
  declare private sentReset: boolean;
  /** The status that ends the next read or write; 0 when nothing is wrong. */
  declare private failure: number;
  declare private failed: boolean;
  declare private flowing: boolean;
  declare private pump: QueuedEvent | undefined;
  declare private readonly writes: PendingWrite[];
  declare private written: number;
  declare private shutdownRequest: (() => void) | undefined;

  /** @param owner the one who runs now when left out */
  constructor(scheduler: Scheduler, host: Host, owner = ownerNow(scheduler)) {
    super();
    this.scheduler = scheduler;
    this.host = host;
    this.network = SimulatedNetwork.of(scheduler);
    this.owner = owner;
    this.above = this.peer = this.out = this.pump = this.shutdownRequest = undefined;
    this.unread = this.taken = this.failure = this.written = 0;
    this.closed = this.ended = this.atEnd = this.failed = this.flowing = false;
    this.sentEnd = this.sentReset = false;
    this.received = [];
    this.writes = [];
    this.sockets.open.add(this);
  }

  get sockets(): HostSockets {
    return this.host.part(HostSockets);
  }

  /** The two ends of a connection that has come about. @param name tells it from every other */
  static join(client: StreamHandle, server: StreamHandle, name: string): void {
    client.peer = server;
    server.peer = client;
    client.out = new Channel(client, server, `${name}>`);
    server.out = new Channel(server, client, `${name}<`);
  }

  // ---- events ----------------------------------------------------------------------------------

  /** Runs `callback` as an event of this connection, in a task of its own. */
  event(callback: () => void): void {
    const { scheduler, owner } = this;
    scheduler.runEvent(nextTask(scheduler, owner), owner.site, owner.caller, callback);
  }

  /** Runs `callback` in the async context of the handle: the native layer calls back in it. */
  protected inContext(callback: () => void): void {
    Object.assign(this, { onreadstart: () => (callback(), 0) });
    super.readStart();
    Reflect.deleteProperty(this, 'onreadstart');
  }

  // ---- reading ---------------------------------------------------------------------------------

  override readStart(): number {
    if (this.flowing) return 0;
    this.flowing = true;
    if (this.readable) this.pumpSoon();
    return 0;
  }

  readStop(): number {
    this.flowing = false;
    return 0;
  }

  /** What the native layer calls in place of {@link readStart}. */
  onreadstart(): number {
    return this.readStart();
  }

  onreadstop(): number {
    return this.readStop();
  }

  isClosing(): boolean {
    return this.closed;
  }

  /** Something has come; {@link arrived} follows. */
  arrive(sent: Uint8Array | typeof END | typeof RESET): void {
    if (sent === RESET) this.fail(this.ended ? UV.EPIPE : UV.ECONNRESET);
    else if (this.closed) this.refuse(sent);
    else if (sent === END) this.ended = true;
    else {
      this.received.push(sent);
      this.unread += sent.length;
    }
  }

  /** All that has come by now has been told of. */
  arrived(): void {
    if (this.flowing && this.readable) this.emit();
  }

  private get readable(): boolean {
    const { unread, ended, atEnd, failure, failed } = this;
    return unread > 0 || (ended && !atEnd) || (failure !== 0 && !failed);
  }

  /** Gives what one read gives. What is left comes with the next turn. */
  private emit(): void {
    if (this.pump !== undefined) this.scheduler.loop.cancel(this.pump);
    if (this.unread > 0) {
      const bytes = this.take();
      if (this.readable) this.pumpSoon();
      this.event(() => this.readBuffer(bytes));
      return;
    }
    this.flowing = false;
    if (this.ended && !this.atEnd) {
      this.atEnd = true;
      this.event(() => this.emitEOF());
    } else {
      this.failed = true;
      this.event(() => this.emitFailure());
    }
  }

  private pumpSoon(): void {
    const { loop } = this.scheduler;
    this.pump ??= new CallbackEvent(() => {
      if (this.flowing && this.readable && !this.closed) this.emit();
    });
    loop.cancel(this.pump);
    loop.schedule(0, this.pump);
  }

  private take(): Uint8Array {
    const { received } = this;
    let bytes = received.length === 1 ? received[0] : Buffer.concat(received);
    received.length = 0;
    if (bytes.length > READ_SIZE) {
      received.push(bytes.subarray(READ_SIZE));
      bytes = bytes.subarray(0, READ_SIZE);
    }
    this.unread -= bytes.length;
    this.peer?.acknowledge(bytes.length);
    return bytes;
  }

  /** The end of the stream, with another status: the native layer knows no way to say so. */
  private emitFailure(): void {
    const status = this.failure;
    const reader = this.above ?? this;
    const { onread } = reader;
    reader.onread = function (this: unknown) {
      streamBaseState[kReadBytesOrError] = status;
      return Reflect.apply(onread, this, []) as unknown;
    };
    this.emitEOF();
  }

  // ---- writing ---------------------------------------------------------------------------------

  get bytesWritten(): number {
    return this.written;
  }

  get writeQueueSize(): number {
    return this.writes.reduce((size, { rest }) => size + rest.length, 0);
  }

  writeBuffer(request: Request | null, bytes: Uint8Array): unknown {
    return this.write(request, Buffer.from(bytes));
  }

  writeUtf8String(request: Request | null, text: string): unknown {
    return this.write(request, Buffer.from(text, 'utf8'));
  }

  writeLatin1String(request: Request | null, text: string): unknown {
    return this.write(request, Buffer.from(text, 'latin1'));
  }

  writeAsciiString(request: Request | null, text: string): unknown {
    return this.write(request, Buffer.from(text, 'latin1'));
  }

  writeUcs2String(request: Request | null, text: string): unknown {
    return this.write(request, Buffer.from(text, 'ucs2'));
  }

  writev(request: Request | null, chunks: unknown[], allBuffers: boolean): unknown {
    if (allBuffers) return this.write(request, Buffer.concat(chunks as Uint8Array[]));
    const parts: Uint8Array[] = [];
    for (let i = 0; i < chunks.length; i += 2) {
      const chunk = chunks[i];
      parts.push(
        typeof chunk === 'string'
          ? Buffer.from(chunk, chunks[i + 1] as Encoding)
          : (chunk as Buffer),
      );
    }
    return this.write(request, Buffer.concat(parts));
  }

  /** A write of the native layer, whose bytes are copies already. */
  onwrite(request: object, buffers: Uint8Array[]): number {
    const bytes = buffers.length === 1 ? buffers[0] : Buffer.concat(buffers);
    const { scheduler } = this;
    const done = (status: number): void => {
      scheduler.loop.immediate(() => this.event(() => this.finishWrite(request, status)));
    };
    if (this.accept(bytes, done)) done(0);
    return 0;
  }

  /** A write of Node's JavaScript: done at once where there is room, as a real one is. */
  private write(request: Request | null, bytes: Uint8Array): unknown {
    const failure = this.takeFailure();
    streamBaseState[kBytesWritten] = bytes.length;
    const returned = kLastWriteErr !== undefined;
    if (failure !== 0 || this.scheduler.ended) {
      streamBaseState[kLastWriteWasAsync] = 0;
      return failure === 0 ? UV.EPIPE : failure;
    }
    // Before Node 26 the request is made by the caller, and told by a flag whether it is used.
    const used: Request = request ?? { writeStatus: null };
    const { scheduler } = this;
    const site = scheduler.current.site;
    const done = (status: number): void =>
      feed(scheduler, site, 'WRITEWRAP', () => used.oncomplete?.(status));
    if (this.accept(bytes, done)) {
      streamBaseState[kLastWriteWasAsync] = 0;
      return 0;
    }
    streamBaseState[kLastWriteWasAsync] = 1;
    if (!returned) return 0;
    streamBaseState[kLastWriteErr] = 0;
    return used;
  }

  /** Whether all is sent now; if not, `done` is told later. */
  private accept(bytes: Uint8Array, done: (status: number) => void): boolean {
    this.written += bytes.length;
    if (this.peer === undefined || this.closed || this.failed) return true;
    const room = WINDOW - this.peer.taken;
    if (this.writes.length === 0 && bytes.length <= room) {
      this.sendBytes(bytes);
      return true;
    }
    this.writes.push({ rest: bytes, done });
    this.sendWaiting();
    return false;
  }

  private sendBytes(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.peer!.taken += bytes.length;
    this.out!.sendBytes(bytes);
  }

  /** Sends as much of what waits as there is room for. */
  private sendWaiting(): void {
    const { writes, peer } = this;
    while (writes.length > 0) {
      const room = WINDOW - peer!.taken;
      const first = writes[0];
      if (first.rest.length > room) {
        if (room > 0) {
          this.sendBytes(first.rest.subarray(0, room));
          first.rest = first.rest.subarray(room);
        }
        return;
      }
      this.sendBytes(first.rest);
      writes.shift();
      first.done(0);
    }
    this.shutdownRequest?.();
  }

  /** The peer has read so many bytes. */
  private acknowledge(count: number): void {
    const peer = this.peer!;
    peer.taken -= count;
    if (this.writes.length === 0 || peer.taken > WINDOW / 2) return;
    const { loop } = this.scheduler;
    loop.after(this.network.link(peer.host, this.host).latency(), () => {
      if (!this.closed) this.event(() => this.sendWaiting());
    });
  }

  // ---- ending ----------------------------------------------------------------------------------

  shutdown(request: Request): number {
    return this.end((status) => request.oncomplete?.(status));
  }

  onshutdown(request: object): number {
    return this.end((status) => this.finishShutdown(request, status));
  }

  private end(done: (status: number) => void): number {
    if (this.peer === undefined || this.failure !== 0 || this.failed) return UV.ENOTCONN;
    const { scheduler } = this;
    const site = scheduler.current.site;
    const end = (): void => {
      this.shutdownRequest = undefined;
      this.sendEnd();
      feed(scheduler, site, 'SHUTDOWNWRAP', () => done(0));
    };
    if (this.writes.length === 0) end();
    else this.shutdownRequest = end;
    return 0;
  }

  private sendEnd(): void {
    if (this.sentEnd) return;
    this.sentEnd = true;
    this.out!.send(END);
  }

  /** Closes it; the peer sees the end, or a reset when bytes are left that nobody has read. */
  close(callback?: () => void): void {
    this.closeBy(this.unread > 0 ? RESET : END, callback);
  }

  reset(callback?: () => void): number {
    this.closeBy(RESET, callback);
    return 0;
  }

  private closeBy(how: typeof END | typeof RESET, callback: (() => void) | undefined): void {
    if (this.closed || this.scheduler.ended) return;
    this.closed = true;
    this.flowing = false;
    const { loop } = this.scheduler;
    if (this.pump !== undefined) loop.cancel(this.pump);
    const cancelled = this.writes.splice(0);
    if (this.out !== undefined && !this.failed && this.failure === 0) {
      if (how === RESET) this.out.send(RESET);
      else this.sendEnd();
    }
    this.received.length = 0;
    this.release();
    loop.close(() => {
      this.event(() =>
        this.inContext(() => {
          this.aborted();
          for (const { done } of cancelled) done(UV.ECANCELED);
          callback?.();
        }),
      );
    });
  }

  /** It is closed: what it has of its host goes back. */
  protected release(): void {
    this.sockets.open.delete(this);
  }

  /** It was closed before it was connected. */
  protected aborted(): void {}

  /** The connection has come about, and this end was closed before. */
  endAfterClose(): void {
    this.sendEnd();
  }

  crash(): void {
    if (this.closed) return;
    this.closed = true;
    this.flowing = false;
    this.release();
    this.out?.send(RESET);
  }

  /** The peer has not answered for too long. */
  timeOut(): void {
    if (this.closed) return;
    this.fail(UV.ETIMEDOUT);
    this.arrived();
  }

  /** Nothing can come or go any more. */
  private fail(status: number): void {
    if (this.failure === 0 && !this.failed) this.failure = status;
    const { writes } = this;
    for (const { done } of writes.splice(0)) done(status);
  }

  private takeFailure(): number {
    if (this.failure === 0) return 0;
    const status = this.failed ? UV.EPIPE : this.failure;
    this.failed = true;
    return status;
  }

  /** Bytes for a socket that is closed: who sends them learns of it. */
  private refuse(sent: Uint8Array | typeof END): void {
    if (sent !== END) this.sendReset();
  }

  sendReset(): void {
    if (this.sentReset) return;
    this.sentReset = true;
    this.out?.send(RESET);
  }

  // ---- what has no meaning here ----------------------------------------------------------------

  ref(): void {}
  unref(): void {}
  hasRef(): boolean {
    return true;
  }
  setNoDelay(): number {
    return 0;
  }
  setKeepAlive(): number {
    return 0;
  }
  setBlocking(): number {
    return 0;
  }
}

/** Tells that a request is done, as soon as the poll phase is over. */
function feed(scheduler: Scheduler, site: SourceSite, type: string, callback: () => void): void {
  const event = new VirtualEvent(scheduler, site, type);
  scheduler.loop.feed(() => {
    event.run(callback);
    event.destroy();
  });
}
