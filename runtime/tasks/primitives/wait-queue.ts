/**
 * A line of waiters, first come first served: a doubly linked list, since a select leaves the lines
 * of the cases that were not taken.
 */

import type { Place } from './waiter.js';

export class WaitQueue {
  private head: Place | undefined = undefined;
  private tail: Place | undefined = undefined;

  add(place: Place): void {
    place.line = this;
    place.before = this.tail;
    place.after = undefined;
    if (this.tail === undefined) this.head = place;
    else this.tail.after = place;
    this.tail = place;
  }

  remove(place: Place): void {
    if (place.before === undefined) this.head = place.after;
    else place.before.after = place.after;
    if (place.after === undefined) this.tail = place.before;
    else place.after.before = place.before;
    place.line = place.before = place.after = undefined;
  }

  /** Who comes next. Those whose simulation is over have left. */
  peek(): Place | undefined {
    while (this.head !== undefined && this.head.waiter.stale) this.remove(this.head);
    return this.head;
  }

  /** Takes out who comes next. */
  shift(): Place | undefined {
    const place = this.peek();
    if (place !== undefined) this.remove(place);
    return place;
  }

  get empty(): boolean {
    return this.peek() === undefined;
  }
}
