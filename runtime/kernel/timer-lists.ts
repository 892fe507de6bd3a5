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

  /**
   * Starts `timer`: it is due `duration` ms after `start` ms. A timer that is running is put off.
   */
  insert(timer: T, duration: number, start: number): void {
    const before = timer.list;
    if (before !== undefined) this.unlink(timer, before);
    timer.start = start;
    timer.duration = duration;
    const list = this.byDuration.get(duration) ?? this.newList(duration, start + duration);
    timer.list = list;
    timer.previous = list.last;
    timer.next = undefined;
    if (list.last === undefined) list.first = timer;
    else list.last.next = timer;
    list.last = timer;
    this.size++;
    if (before !== undefined) this.dropIfEmpty(before);
  }

  /**
   * Stops `timer`, whether it is waiting or has just been taken. Returns whether it was waiting.
   */
  remove(timer: T): boolean {
    const { list } = timer;
    if (list !== undefined) this.unlink(timer, list);
    const emptied = list ?? this.byDuration.get(timer.duration);
    if (emptied !== undefined) this.dropIfEmpty(emptied);
    return list !== undefined;
  }

  /** The first timer of the list that is looked at next. */
  peek(): T | undefined {
    return this.heap[0]?.first as T | undefined;
  }

  /**
   * When to look next, in milliseconds. A list keeps its place when its first timer is stopped or
   * put off, so there may be nothing due then.
   */
  get expiry(): number {
    return this.heap[0]?.expiry ?? Infinity;
  }

  /**
   * Takes out the next timer that is due at `now` (ms), until there is none; `now` stays the same
   * throughout such a pass. The list that the last timer came from is emptied of what is due before
   * another one is looked at.
   */
  take(now: number): T | undefined {
    let list = this.running ?? this.expired(now);
    while (list !== undefined) {
      const timer = list.first as T | undefined;
      if (timer !== undefined && now - timer.start >= list.duration) {
        this.unlink(timer, list);
        this.running = list;
        return timer;
      }
      if (timer === undefined) this.dropIfEmpty(list);
      else this.lookAgain(list, Math.max(timer.start + list.duration, now + 1));
      list = this.expired(now);
    }
    this.running = undefined;
    return undefined;
  }

  /** All running timers, list by list. */
  *pending(): IterableIterator<T> {
    for (const list of this.heap) {
      for (let t = list.first; t !== undefined; t = t.next) yield t as T;
    }
  }

  private newList(duration: number, expiry: number): TimerList {
    const list: TimerList = {
      duration,
      expiry,
      order: this.ordered++,
      index: this.heap.length,
      first: undefined,
      last: undefined,
    };
    this.byDuration.set(duration, list);
    this.heap.push(list);
    this.up(list);
    return list;
  }

  private expired(now: number): TimerList | undefined {
    const list = this.heap[0];
    return list === undefined || list.expiry > now ? undefined : list;
  }

  private lookAgain(list: TimerList, expiry: number): void {
    list.expiry = expiry;
    list.order = this.ordered++;
    this.down(list);
  }

  private unlink(timer: T, list: TimerList): void {
    if (timer.previous === undefined) list.first = timer.next;
    else timer.previous.next = timer.next;
    if (timer.next === undefined) list.last = timer.previous;
    else timer.next.previous = timer.previous;
    timer.list = timer.previous = timer.next = undefined;
    this.size--;
  }

  /** A list that is emptied while its timers are taken stays until all are: it may be refilled. */
  private dropIfEmpty(list: TimerList): void {
    if (list.first !== undefined || this.byDuration.get(list.duration) !== list) return;
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
