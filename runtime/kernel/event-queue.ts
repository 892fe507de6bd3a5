/**
 * The queue of things due at a virtual time: a binary heap ordered by (due time, insertion order).
 *
 * Cancelling takes an event out at once, so that memory goes with what is pending and not with
 * what has passed.
 */

/** Something due at a virtual time. */
export interface QueuedEvent {
  /** When it is due, in virtual nanoseconds. */
  readonly due: number;
  /** Insertion order; decides between events due at the same time. */
  readonly order: number;
  readonly run: () => void;
}

interface Entry extends QueuedEvent {
  index: number;
}

export class EventQueue {
  private readonly heap: Entry[] = [];
  private inserted = 0;

  get size(): number {
    return this.heap.length;
  }

  /** The number the next event will get as its `order`. */
  get nextOrder(): number {
    return this.inserted;
  }

  add(due: number, run: () => void): QueuedEvent {
    const entry: Entry = { due, order: this.inserted++, run, index: this.heap.length };
    this.heap.push(entry);
    this.up(entry);
    return entry;
  }

  peek(): QueuedEvent | undefined {
    return this.heap[0];
  }

  /** Takes the first event out. */
  pop(): QueuedEvent | undefined {
    const first = this.heap[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Takes an event out; does nothing when it has run or was cancelled before. */
  cancel(event: QueuedEvent): boolean {
    const entry = event as Entry;
    if (this.heap[entry.index] !== entry) return false;
    this.remove(entry);
    return true;
  }

  /** All pending events, in no particular order. */
  pending(): readonly QueuedEvent[] {
    return this.heap;
  }

  private remove(entry: Entry): void {
    const last = this.heap.pop()!;
    if (last !== entry) {
      last.index = entry.index;
      this.heap[last.index] = last;
      this.up(last);
      this.down(last);
    }
    entry.index = -1;
  }

  private up(entry: Entry): void {
    const { heap } = this;
    while (entry.index > 0) {
      const parent = heap[(entry.index - 1) >> 1];
      if (!before(entry, parent)) return;
      this.swap(entry, parent);
    }
  }

  private down(entry: Entry): void {
    const { heap } = this;
    for (;;) {
      const left = 2 * entry.index + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child =
        right < heap.length && before(heap[right], heap[left]) ? heap[right] : heap[left];
      if (!before(child, entry)) return;
      this.swap(child, entry);
    }
  }

  private swap(a: Entry, b: Entry): void {
    const index = a.index;
    this.heap[b.index] = a;
    this.heap[index] = b;
    a.index = b.index;
    b.index = index;
  }
}

function before(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
