/**
 * The queue of things due at a virtual time: a heap with four children a node, ordered by (due
 * time, insertion order).
 *
 * Cancelling takes an event out at once, so that memory goes with what is pending and not with
 * what has passed.
 */

/**
 * Something due at a virtual time. It is its own entry in the queue. (Assigning in the constructor
 * is quicker than class fields are.)
 */
export abstract class QueuedEvent {
  /** When it is due, in virtual nanoseconds. */
  declare due: number;
  /** Insertion order; decides between events due at the same time. */
  declare order: number;
  /** Where it is in the heap; -1 when it is not queued. */
  declare index: number;
  /** Whether a run may end although the event is still to come. Never changed while it is queued. */
  declare background: boolean;

  constructor() {
    this.background = false;
    this.due = 0;
    this.order = 0;
    this.index = -1;
  }

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
  /** The events, and beside them when they are due and their order, which the heap compares. */
  private readonly heap: QueuedEvent[] = [];
  private readonly dues = doubles();
  private readonly orders: number[] = [];
  private inserted = 0;
  /** How many pending events are not in the background. */
  foreground = 0;

  get size(): number {
    return this.heap.length;
  }

  /** When the first event is due; infinite when there is none. */
  get nextDue(): number {
    return this.heap.length === 0 ? Infinity : this.dues[0];
  }

  /** The number the next event will get as its `order`. */
  get nextOrder(): number {
    return this.inserted;
  }

  add(due: number, event: QueuedEvent): void {
    const order = this.inserted++;
    event.due = due;
    event.order = order;
    if (!event.background) this.foreground++;
    this.up(event, due, order, this.heap.length);
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
    const { index } = event;
    const last = this.heap.pop()!;
    const due = this.dues.pop()!;
    const order = this.orders.pop()!;
    event.index = -1;
    if (!event.background) this.foreground--;
    if (last === event) return;
    this.down(last, due, order, index);
    if (last.index === index) this.up(last, due, order, index);
  }

  /** Puts `event` at `index`, or above it. */
  private up(event: QueuedEvent, due: number, order: number, index: number): void {
    const { heap, dues, orders } = this;
    let at = index;
    while (at > 0) {
      const above = (at - 1) >> 2;
      const dueAbove = dues[above];
      if (due > dueAbove || (due === dueAbove && order > orders[above])) break;
      this.put(heap[above], dueAbove, orders[above], at);
      at = above;
    }
    this.put(event, due, order, at);
  }

  /** Puts `event` at `index`, or below it. */
  private down(event: QueuedEvent, due: number, order: number, index: number): void {
    const { heap, dues, orders } = this;
    const { length } = heap;
    let at = index;
    for (let below = 4 * at + 1; below < length; below = 4 * at + 1) {
      const end = Math.min(below + 4, length);
      let child = below;
      let childDue = dues[below];
      for (let i = below + 1; i < end; i++) {
        const other = dues[i];
        if (other < childDue || (other === childDue && orders[i] < orders[child])) {
          child = i;
          childDue = other;
        }
      }
      if (due < childDue || (due === childDue && order < orders[child])) break;
      this.put(heap[child], childDue, orders[child], at);
      at = child;
    }
    this.put(event, due, order, at);
  }

  private put(event: QueuedEvent, due: number, order: number, at: number): void {
    this.heap[at] = event;
    this.dues[at] = due;
    this.orders[at] = order;
    event.index = at;
  }
}

/** An empty array that keeps its numbers unboxed from the first one on. */
function doubles(): number[] {
  const array = [0.5];
  array.pop();
  return array;
}
