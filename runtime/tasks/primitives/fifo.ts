/**
 * A queue of values: an array from whose front is taken without moving the rest.
 */

export class Fifo<T> {
  private values: (T | undefined)[] = [];
  private taken = 0;

  get length(): number {
    return this.values.length - this.taken;
  }

  push(value: T): void {
    this.values.push(value);
  }

  /** Takes out the first value; only when there is one. */
  shift(): T {
    const { values } = this;
    const value = values[this.taken] as T;
    values[this.taken++] = undefined;
    if (this.taken === values.length) {
      values.length = this.taken = 0;
    } else if (this.taken >= 64 && this.taken * 2 >= values.length) {
      this.values = values.slice(this.taken);
      this.taken = 0;
    }
    return value;
  }
}
