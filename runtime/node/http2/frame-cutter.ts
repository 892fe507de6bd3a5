/**
 * Cuts the bytes that a session of HTTP/2 receives where frames end, and knows what may be put
 * between two frames.
 *
 * A frame of a type that nobody knows must be ignored (RFC 9113, 4.1), so an empty one can be given
 * to a session at any boundary. Before the first frame there is none: there the first bytes that
 * every peer sends are given ahead, one by one, and taken off what comes.
 */

const HEADER = 9;
/** Longer frames are handed on in parts: the peer may have been allowed more, or is wrong. */
const LONGEST_HELD = 16384;

const HEADERS = 1;
const SETTINGS = 4;
const PUSH_PROMISE = 5;
const CONTINUATION = 9;
const END_HEADERS = 4;

/** What a client sends first. */
const MAGIC = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** How the length of the first frame begins: settings take far less than 256 bytes. */
const FIRST_LENGTH = Buffer.from([0, 0]);
/** An empty frame of a type that is not assigned. */
const IGNORED = Buffer.from([0, 0, 0, 0xfa, 0, 0, 0, 0, 0]);
const NOTHING = Buffer.alloc(0);

export class FrameCutter {
  /** What every peer sends first, and how much of it has been given ahead. */
  private readonly first: Buffer;
  private ahead = 0;
  /** Whether the first frame has begun as it must. */
  private begun = false;
  /** The bytes of a frame that has not come as a whole. */
  private held: Buffer = NOTHING;
  /** How much is still to come of a frame that is handed on in parts. */
  private rest = 0;
  /** Within the headers of one message: nothing may stand between their frames. */
  private inHeaders = false;
  /** The peer does not speak HTTP/2. */
  private broken = false;

  constructor(server: boolean) {
    this.first = server ? Buffer.concat([MAGIC, FIRST_LENGTH]) : FIRST_LENGTH;
  }

  /** Something that means nothing to a session; undefined where there is no such thing now. */
  filler(): Buffer | undefined {
    if (this.broken) return undefined;
    if (this.begun) return this.rest === 0 && !this.inHeaders ? IGNORED : undefined;
    const { ahead } = this;
    if (ahead === this.first.length || this.held.length > 0) return undefined;
    this.ahead++;
    return this.first.subarray(ahead, ahead + 1);
  }

  /** Takes what has come. @returns the frames of it that are to be handed on now */
  take(bytes: Buffer): Buffer[] {
    if (this.broken) return [bytes];
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    this.held = NOTHING;
    if (!this.begun) return this.begin(all);
    const end = Math.min(this.rest, all.length);
    this.rest -= end;
    return this.cut(all, end, end === 0 ? [] : [all.subarray(0, end)]);
  }

  /** Until the first frame is known to be one, what comes is compared with what must come. */
  private begin(all: Buffer): Buffer[] {
    const { first } = this;
    const magic = first.length - FIRST_LENGTH.length;
    const known = Math.min(all.length, magic);
    if (!all.subarray(0, known).equals(first.subarray(0, known))) return this.giveUp(all);
    const header = all.subarray(magic, magic + HEADER);
    if (header.length === HEADER) {
      const short = FIRST_LENGTH.equals(header.subarray(0, FIRST_LENGTH.length));
      if (!short || header[3] !== SETTINGS) return this.giveUp(all);
    }
    const end = magic + HEADER + header[2];
    if (header.length < HEADER || all.length < end) {
      this.held = all;
      return [];
    }
    this.begun = true;
    return this.cut(all, end, [all.subarray(this.ahead, end)]);
  }

  private giveUp(all: Buffer): Buffer[] {
    this.broken = true;
    return [all.subarray(Math.min(this.ahead, all.length))];
  }

  /** Adds the frames that begin at `from` to `frames`, and holds what is no whole frame. */
  private cut(bytes: Buffer, from: number, frames: Buffer[]): Buffer[] {
    let at = from;
    while (at + HEADER <= bytes.length) {
      const length = bytes.readUIntBE(at, 3);
      const type = bytes[at + 3];
      const end = at + HEADER + length;
      if (end > bytes.length && length <= LONGEST_HELD) break;
      if (type === HEADERS || type === PUSH_PROMISE || type === CONTINUATION) {
        this.inHeaders = (bytes[at + 4] & END_HEADERS) === 0;
      }
      this.rest = Math.max(0, end - bytes.length);
      frames.push(bytes.subarray(at, end));
      at = Math.min(end, bytes.length);
    }
    this.held = bytes.subarray(at);
    return frames;
  }
}
