/**
 * What a native session of HTTP/2 reads and writes in a simulation, in the place of the handle of
 * its socket: it passes everything on, and hands frames on as a whole.
 *
 * The handle below may be one of a simulated connection, TLS, or a stream of the program's. Its end
 * and its errors are told to the socket, as the native session would.
 */

import type { Scheduler } from '../../tasks/scheduler.js';
import { drain } from '../drain.js';
import { JSStream, streamWrap, type NativeStream } from '../sockets/bindings.js';
import { nextTask, ownerNow } from '../sockets/owner.js';
import type { FrameCutter } from './frame-cutter.js';

const { apply } = Reflect;
const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } = streamWrap;
const { kLastWriteErr, kLastWriteWasAsync, WriteWrap } = streamWrap;

interface WriteRequest {
  oncomplete?: (status: number) => void;
  writeStatus?: number | null;
}

/** The handle of a socket, as lib/internal/stream_base_commons.js uses it. */
export interface SocketHandle extends NativeStream {
  readStop(): number;
  writev(request: WriteRequest | null, chunks: Uint8Array[], allBuffers: true): unknown;
}

export class SessionStream extends JSStream {
  /** Writes that are done, and not yet told of. */
  private readonly written: { request: object; status: number; atOnce: boolean }[] = [];
  private settling = false;
  private readonly later: (() => void)[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly below: SocketHandle,
    readonly cutter: FrameCutter,
    /** Called when the native session may have something to write. */
    private readonly moved: () => void,
  ) {
    super();
    const { onread } = below;

    const above = this;
    below.onread = function (this: unknown, ...args: unknown[]) {
      const count = streamBaseState[kReadBytesOrError];
      if (count > 0 && !scheduler.ended) {
        const bytes = Buffer.from(
          args[0] as ArrayBuffer,
          streamBaseState[kArrayBufferOffset],
          count,
        );
        above.received(bytes);
        return undefined;
      }
      const result = apply(onread, this, args) as unknown;
      moved();
      return result;
    };
  }

  /** Node runs what a callback has queued right after it, so each frame is handed on by itself. */
  private received(bytes: Buffer): void {
    for (const frame of this.cutter.take(bytes)) {
      this.readBuffer(frame);
      this.settle();
      drain();
    }
    this.moved();
  }

  /** Tells of the writes that are done: a socket that has room is done with them at once. */
  settle(): void {
    const { written, later } = this;
    for (let one = written.shift(); one !== undefined; one = written.shift()) {
      this.settling = one.atOnce;
      try {
        this.finishWrite(one.request, one.status);
      } finally {
        this.settling = false;
      }
    }
    for (let one = later.shift(); one !== undefined; one = later.shift()) one();
  }

  /**
   * Runs `callback` when it may write: to the native session a write is under way until it has told
   * of its end, though it was done at once.
   */
  whenSettled(callback: () => void): void {
    if (this.settling) this.later.push(callback);
    else callback();
  }

  // ---- what the native session calls -----------------------------------------------------------

  onreadstart(): number {
    return this.below.readStart();
  }

  onreadstop(): number {
    return this.below.readStop();
  }

  isClosing(): boolean {
    return false;
  }

  onwrite(request: object, buffers: Uint8Array[]): number {
    const { scheduler } = this;
    if (scheduler.ended) return 0;
    const owner = ownerNow(scheduler);
    let writing = true;
    write(this.below, buffers, (status) => {
      this.written.push({ request, status, atOnce: writing });
      // The native session takes no answer before this call is over; see `settle`.
      if (writing || scheduler.ended) return;
      scheduler.runEvent(nextTask(scheduler, owner), owner.site, owner.caller, () => {
        this.settle();
        this.moved();
      });
    });
    writing = false;
    return 0;
  }
}

/** A write as lib/internal/stream_base_commons.js does it; `done` may be called at once. */
function write(below: SocketHandle, buffers: Uint8Array[], done: (status: number) => void): void {
  const given = kLastWriteErr === undefined ? new WriteWrap() : null;
  if (given !== null) given.oncomplete = done;
  const result = below.writev(given, buffers, true);
  if (kLastWriteErr === undefined) {
    if (result !== 0 || streamBaseState[kLastWriteWasAsync] === 0) done(result as number);
  } else if (typeof result === 'number') {
    done(result);
  } else {
    const made = result as WriteRequest;
    const failure = streamBaseState[kLastWriteErr];
    if (failure !== 0) return done(failure);
    made.oncomplete = done;
    if (typeof made.writeStatus === 'number') done(made.writeStatus);
  }
}
