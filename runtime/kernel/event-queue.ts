/**
 * The queue of things due at a virtual time: a binary heap ordered by (due time, insertion order).
 *
 * Cancelling takes an event out at once, so that memory goes with what is pending and not with
 * what has passed.
 */

/** Something due at a virtual time. It is its own entry in the queue. */
export abstract class QueuedEvent {
  /** When it is due, in virtual nanoseconds. */
  due = 0;
  /** Insertion order; decides between events due at the same time. */
  order = 0;
  /** Where it is in the heap; -1 when it is not queued. */
  index = -1;

  abstract run(): void;
}

/** An event that calls a function. */
export class CallbackEvent extends QueuedEvent {
  constructor(private readonly callback: () => void) {
    super();
  }

  run(): void {
    this.callback();
  }
}

export class EventQueue {
  private readonly heap: QueuedEvent[] = [];
  private inserted = 0;

  get size(): number {
    return this.heap.length;
  }

  /** The number the next event will get as its `order`. */
  get nextOrder(): number {
    return this.inserted;
  }

  add(due: number, event: QueuedEvent): void {
    event.due = due;
    event.order = this.inserted++;
    event.index = this.heap.length;
    this.heap.push(event);
    this.up(event);
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
    if (this.heap[event.index] !== event) return false;
    this.remove(event);
    return true;
  }

  /** All pending events, in no particular order. */
  pending(): readonly QueuedEvent[] {
    return this.heap;
  }

  private remove(event: QueuedEvent): void {
    const last = this.heap.pop()!;
    if (last !== event) {
      last.index = event.index;
      this.heap[last.index] = last;
      this.up(last);
      this.down(last);
    }
    event.index = -1;
  }

  private up(event: QueuedEvent): void {
    const { heap } = this;
    let { index } = event;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!before(event, parent)) break;
      heap[index] = parent;
      parent.index = index;
      index = above;
    }
    heap[index] = event;
    event.index = index;
  }

  private down(event: QueuedEvent): void {
    const { heap } = this;
    let { index } = event;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && before(heap[below + 1], heap[below])) below++;
      const child = heap[below];
      if (!before(child, event)) break;
      heap[index] = child;
      child.index = index;
      index = below;
    }
    heap[index] = event;
    event.index = index;
  }
}

function before(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
