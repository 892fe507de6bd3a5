/**
 * A list: items in a ring, so that both ends are quick and positions are too.
 */

const LEAST_CAPACITY = 8;

export class List {
  private ring: string[] = new Array<string>(LEAST_CAPACITY);
  private head = 0;
  length = 0;

  static of(items: readonly string[]): List {
    const list = new List();
    for (const item of items) list.push(item);
    return list;
  }

  /** The item at a position from 0 on; the caller has checked it. */
  at(index: number): string {
    return this.ring[(this.head + index) & (this.ring.length - 1)];
  }

  set(index: number, item: string): void {
    this.ring[(this.head + index) & (this.ring.length - 1)] = item;
  }

  push(item: string): void {
    this.grow();
    this.length++;
    this.set(this.length - 1, item);
  }

  unshift(item: string): void {
    this.grow();
    this.length++;
    this.head = (this.head - 1) & (this.ring.length - 1);
    this.ring[this.head] = item;
  }

  /** @returns the last item; the list must not be empty */
  pop(): string {
    const item = this.at(this.length - 1);
    this.length--;
    return item;
  }

  /** @returns the first item; the list must not be empty */
  shift(): string {
    const item = this.ring[this.head];
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.length--;
    return item;
  }

  slice(start: number, end: number): string[] {
    const items: string[] = [];
    for (let i = start; i < end; i++) items.push(this.at(i));
    return items;
  }

  items(): string[] {
    return this.slice(0, this.length);
  }

  replace(items: readonly string[]): void {
    this.ring = new Array<string>(LEAST_CAPACITY);
    this.head = 0;
    this.length = 0;
    for (const item of items) this.push(item);
  }

  private grow(): void {
    if (this.length < this.ring.length) return;
    const items = this.items();
    items.length *= 2;
    this.ring = items;
    this.head = 0;
  }
}
