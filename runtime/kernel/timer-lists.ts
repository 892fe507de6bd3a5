/**
 * Timers in the order in which Node runs them.
 *
 * Node keeps one first-in-first-out list per duration, and a priority queue of the lists by the
 * time at which their first timer is due; times are whole milliseconds of the loop's clock. A loop
 * that is late therefore runs all that is due of one list before it looks at the next list, and two
 * timers of one duration never swap. Following that structure, and not just due times, is what
 * makes a late loop in the simulation one that Node can have. After lib/internal/timers.js.
 */

/** A timer as the lists see it. `start` and `duration` are in milliseconds. */
export interface ListedTimer {
  start: number;
  duration: number;
  list: TimerList | undefined;
  previous: ListedTimer | undefined;
  next: ListedTimer | undefined;
}

export interface TimerList {
  readonly duration: number;
  expiry: number;
  order: number;
  index: number;
  first: ListedTimer | undefined;
  last: ListedTimer | undefined;
}

export class TimerLists<T extends ListedTimer> {
  private readonly byDuration = new Map<number, TimerList>();
  private readonly heap: TimerList[] = [];
  private ordered = 0;
  private running: TimerList | undefined;
  size = 0;

  /** Starts `timer`: it is due `duration` ms after `start` ms. */
  insert(timer: T, duration: number, start: number): void {
    timer.start = start;
    timer.duration = duration;
    let list = this.byDuration.get(duration);
    if (list === undefined) {
      list = {
        duration,
        expiry: start + duration,
        order: this.ordered++,
        index: this.heap.length,
        first: undefined,
        last: undefined,
      };
      this.byDuration.set(duration, list);
      this.heap.push(list);
      this.up(list);
    }
    timer.list = list;
    timer.previous = list.last;
    timer.next = undefined;
    if (list.last === undefined) list.first = timer;
    else list.last.next = timer;
    list.last = timer;
    this.size++;
  }

  /** Stops `timer`; does nothing when it is not running. */
  remove(timer: T): boolean {
    const { list } = timer;
    if (list === undefined) return false;
    this.unlink(timer, list);
    if (list.first === undefined) this.drop(list);
    return true;
  }

  /** The timer that is due next. Its list's first timer may have been stopped since. */
  peek(): T | undefined {
    for (;;) {
      const list = this.heap[0];
      if (list === undefined) return undefined;
      const timer = list.first as T;
      const expiry = timer.start + list.duration;
      if (expiry <= list.expiry) return timer;
      list.expiry = expiry;
      this.down(list);
    }
  }

  /**
   * Takes out the next timer that is due at `now` (ms). The list that the last timer came from is
   * emptied of what is due before another list is looked at.
   */
  take(now: number): T | undefined {
    let list = this.running ?? this.heap[0];
    while (list !== undefined) {
      const timer = list.first as T | undefined;
      if (timer !== undefined && now - timer.start >= list.duration) {
        this.unlink(timer, list);
        if (list.first === undefined) this.drop(list);
        this.running = list;
        return timer;
      }
      if (timer !== undefined && list.expiry <= now) {
        list.expiry = Math.max(timer.start + list.duration, now + 1);
        list.order = this.ordered++;
        this.down(list);
      }
      this.running = undefined;
      const next = this.heap[0];
      if (next === undefined || next.expiry > now) return undefined;
      list = next;
    }
    return undefined;
  }

  /** All running timers, list by list. */
  *pending(): IterableIterator<T> {
    for (const list of this.heap) {
      for (let t = list.first; t !== undefined; t = t.next) yield t as T;
    }
  }

  private unlink(timer: T, list: TimerList): void {
    if (timer.previous === undefined) list.first = timer.next;
    else timer.previous.next = timer.next;
    if (timer.next === undefined) list.last = timer.previous;
    else timer.next.previous = timer.previous;
    timer.list = timer.previous = timer.next = undefined;
    this.size--;
  }

  private drop(list: TimerList): void {
    this.byDuration.delete(list.duration);
    const last = this.heap.pop()!;
    if (last !== list) {
      last.index = list.index;
      this.heap[last.index] = last;
      this.up(last);
      this.down(last);
    }
  }

  private up(list: TimerList): void {
    const { heap } = this;
    while (list.index > 0) {
      const parent = heap[(list.index - 1) >> 1];
      if (!earlier(list, parent)) return;
      this.swap(list, parent);
    }
  }

  private down(list: TimerList): void {
    const { heap } = this;
    for (;;) {
      const left = 2 * list.index + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child =
        right < heap.length && earlier(heap[right], heap[left]) ? heap[right] : heap[left];
      if (!earlier(child, list)) return;
      this.swap(child, list);
    }
  }

  private swap(a: TimerList, b: TimerList): void {
    const index = a.index;
    this.heap[b.index] = a;
    this.heap[index] = b;
    a.index = b.index;
    b.index = index;
  }
}

function earlier(a: TimerList, b: TimerList): boolean {
  return a.expiry < b.expiry || (a.expiry === b.expiry && a.order < b.order);
}
