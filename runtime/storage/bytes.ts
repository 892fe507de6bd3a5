/**
 * A growing sequence of bytes. What lies between its end and a write beyond it is zero.
 */

/** The least that it grows to. */
const LEAST = 1024;

export class Bytes {
  data: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.data = new Uint8Array(capacity);
  }

  /** Puts `source` at `offset`. */
  write(offset: number, source: Uint8Array): void {
    const end = offset + source.length;
    if (end > this.length) this.resize(end);
    this.data.set(source, offset);
  }

  /** Cuts it off, or fills it up with zeros. */
  resize(length: number): void {
    if (length > this.data.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.data.length, LEAST));
      grown.set(this.data.subarray(0, this.length));
      this.data = grown;
    } else if (length < this.length) {
      this.data.fill(0, length, this.length);
    }
    this.length = length;
  }

  /** Becomes what `other` is. */
  copy(other: Bytes): void {
    this.resize(0);
    this.write(0, other.view());
  }

  /** The bytes from `start` to `end`; not a copy. */
  view(start = 0, end = this.length): Uint8Array {
    return this.data.subarray(start, end);
  }
}
