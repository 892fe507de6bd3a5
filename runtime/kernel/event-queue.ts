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
  private readonly heap: QueuedEvent[] = [];
  private inserted = 0;
  /** How many pending events are not in the background. */
  foreground = 0;

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
    if (!event.background) this.foreground++;
    this.up(event, this.heap.length);
  }

  peek(): QueuedEvent | undefined {
    return this.heap[0];
  }

  /** Takes the first event out. */
  pop(): QueuedEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined) return undefined;
    if (last !== first) this.down(last, 0);
    first.index = -1;
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
    event.index = -1;
    if (!event.background) this.foreground--;
    if (last === event) return;
    this.down(last, index);
    if (last.index === index) this.up(last, index);
  }

  /** Puts `event` at `index`, or above it. */
  private up(event: QueuedEvent, index: number): void {
    const { heap } = this;
    let at = index;
    while (at > 0) {
      const above = (at - 1) >> 2;
      const parent = heap[above];
      if (!before(event, parent)) break;
      heap[at] = parent;
      parent.index = at;
      at = above;
    }
    heap[at] = event;
    event.index = at;
  }

  /** Puts `event` at `index`, or below it. */
  private down(event: QueuedEvent, index: number): void {
    const { heap } = this;
    const { length } = heap;
    let at = index;
    for (let below = 4 * at + 1; below < length; below = 4 * at + 1) {
      const end = Math.min(below + 4, length);
      let child = heap[below];
      for (let i = below + 1; i < end; i++) if (before(heap[i], child)) child = heap[i];
      if (!before(child, event)) break;
      heap[at] = child;
      const { index: from } = child;
      child.index = at;
      at = from;
    }
    heap[at] = event;
    event.index = at;
  }
}

function before(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
