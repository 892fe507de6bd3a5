/**
 * A frame is one invocation of an instrumented async function. A chain of frames is the logical
 * stack of a task, which lives on across awaits.
 */

import type { Effects } from '../kernel/effects.js';
import type { Scheduler } from './scheduler.js';
import { siteAt, type SourceSite } from './sites.js';
import type { Task } from './task.js';
import { processEnded } from '../hosts/process-ended.js';
import { pristine } from '../node/pristine.js';

const NO_ARGUMENTS: readonly never[] = [];

/** What instrumented code calls; see the transformer for where each call stands. */
export interface FrameHooks {
  /** Before an await: returns what to await. */
  suspend(operand: unknown, site: number): unknown;
  /** After an await, and at the head of catch, finally and loop bodies. */
  resume(value?: unknown): unknown;
  /** Around the operand of `return` in an async function. */
  leave(operand: unknown, site: number): unknown;
  /** Around the iterable of `for await` and `yield*`. */
  iterate(iterable: unknown, site: number): unknown;
  /** Around the last argument of a call whose result is awaited at once. */
  direct(value: unknown): unknown;
  /** The same for a call without arguments. */
  noArgs(): readonly never[];
  exit(): void;
}

export class Frame implements FrameHooks {
  // Frames are made at every call: assigning in the constructor is quicker than class fields are.
  declare private readonly scheduler: Scheduler;
  declare readonly site: SourceSite;
  declare readonly task: Task;
  /** The frame whose code called this one. */
  declare caller: Frame | undefined;
  /** The yield point at which the frame waits. */
  declare waiting: SourceSite | undefined;
  declare previous: Frame | undefined;
  declare next: Frame | undefined;
  /** Whether control has gone back to the caller. */
  declare private returned: boolean;
  /** What the recorder of the run knows of it: looking frames up would cost more. */
  declare recorded: unknown;
  /** To tell whether a stand-in has a latency already when it goes back to its caller. */
  declare private readonly latenciesBefore: number;

  constructor(scheduler: Scheduler, site: SourceSite, task: Task, caller: Frame | undefined) {
    this.scheduler = scheduler;
    this.site = site;
    this.task = task;
    this.caller = caller;
    this.waiting = this.previous = this.next = this.recorded = undefined;
    this.returned = false;
    this.latenciesBefore = scheduler.standInLatencyCount;
  }

  suspend(operand: unknown, index: number): unknown {
    const { scheduler } = this;
    if (scheduler.ended) return operand;
    const site = siteAt(index);
    this.waiting = site;
    const awaited = scheduler.decide(operand, this, site);
    scheduler.recorder?.suspended(this, site, operand);
    this.giveBack();
    return awaited;
  }

  resume(value?: unknown): unknown {
    const { scheduler, waiting, task } = this;
    if (scheduler.ended) return value;
    // Thrown at the head of catch and finally blocks as well, so that none of them runs.
    if (task.host !== undefined && task.host.dead) throw processEnded;
    if (waiting !== undefined) {
      if (waiting.kind === 'yield') {
        this.caller = scheduler.current;
        this.returned = false;
      }
      this.waiting = undefined;
      scheduler.loop.ordered(this.task, waiting, this.effectsAt(waiting));
      // A block that is entered by an await that rejected passes nothing.
      scheduler.recorder?.resumed(this, waiting, value, arguments.length > 0);
    }
    scheduler.current = this;
    scheduler.clearCallMarks();
    return value;
  }

  /**
   * What the segment does that begins at a site. Where the frame may end, and its promise is not
   * what its caller awaits, anything may go on.
   */
  effectsAt({ effects }: SourceSite): Effects | undefined {
    const told = effects?.ends === true && this.caller?.task !== this.task;
    return told ? undefined : effects;
  }

  leave(operand: unknown, index: number): unknown {
    const { scheduler } = this;
    if (scheduler.ended || !pristine.isPromise(operand)) return operand;
    return scheduler.decide(operand, this, siteAt(index));
  }

  iterate(iterable: unknown, index: number): unknown {
    mustIterate(iterable, index);
    return this.scheduler.ended ? iterable : iterateWith(this, iterable, index);
  }

  direct(value: unknown): unknown {
    this.scheduler.clearCallMarks();
    this.scheduler.directCall = true;
    return value;
  }

  noArgs(): readonly never[] {
    this.scheduler.clearCallMarks();
    this.scheduler.directCall = true;
    return NO_ARGUMENTS;
  }

  exit(): void {
    if (this.scheduler.ended) return;
    this.unlink();
    this.scheduler.recorder?.exited(this);
    this.giveBack();
  }

  /** Puts the frame into the ring of live frames. */
  link(ring: Frame): void {
    this.previous = ring.previous;
    this.next = ring;
    ring.previous!.next = this;
    ring.previous = this;
  }

  unlink(): void {
    if (this.next === undefined) return;
    this.previous!.next = this.next;
    this.next.previous = this.previous;
    this.previous = this.next = undefined;
  }

  /** Control goes to the caller the first time, and to the event loop from then on. */
  private giveBack(): void {
    const { scheduler } = this;
    if (this.returned) {
      scheduler.current = scheduler.base;
      scheduler.stubMark = false;
    } else {
      this.returned = true;
      scheduler.current = this.caller ?? scheduler.base;
      scheduler.stubMark = this.site.stub && this.latenciesBefore === scheduler.standInLatencyCount;
    }
    scheduler.directCall = false;
  }
}

/** The frame of instrumented code outside a simulation: everything passes through. */
export const plainFrame: FrameHooks = {
  suspend: (operand) => operand,
  resume: (value) => value,
  leave: (operand) => operand,
  iterate: (iterable, index) => (mustIterate(iterable, index), iterable),
  direct: (value) => value,
  noArgs: () => NO_ARGUMENTS,
  exit: () => {},
};

/**
 * Says of a value that `for await` cannot take what the engine would say, which would name the hook
 * instead. It reads nothing that a program could notice; null and undefined are left to the engine.
 */
function mustIterate(value: unknown, index: number): void {
  if (value === null || value === undefined) return;
  const object = Object(value) as object;
  if (Symbol.asyncIterator in object || Symbol.iterator in object) return;
  const { kind, text } = siteAt(index);
  if (kind !== 'forAwait') return;
  const name = text.endsWith('(...)') ? `${text} is not a function or its return value` : text;
  throw new TypeError(`${name} is not async iterable`);
}

type AnyIterator = Iterator<unknown> & AsyncIterator<unknown>;
type Step = (value?: unknown) => unknown;

/**
 * An iterable whose every step is a yield point. It reads and calls what `for await` reads and
 * calls, once and in the same order, and hands on the very promises, so that it adds no microtask.
 * What is not iterable is handed back, so that the engine raises its own error.
 */
function iterateWith(frame: Frame, iterable: unknown, site: number): unknown {
  if (iterable === null || iterable === undefined) return iterable;
  const source = iterable as AsyncIterable<unknown> & Iterable<unknown>;
  const async = source[Symbol.asyncIterator] as (() => AnyIterator) | null | undefined;
  if (async !== null && async !== undefined) {
    if (typeof async !== 'function') return iterable;
    return { [Symbol.asyncIterator]: () => asyncSteps(frame, async.call(source), site) };
  }
  const sync = source[Symbol.iterator] as (() => AnyIterator) | null | undefined;
  if (typeof sync !== 'function') return iterable;
  return { [Symbol.iterator]: () => syncSteps(frame, sync.call(source), site) };
}

function asyncSteps(frame: Frame, iterator: AnyIterator, site: number): unknown {
  return stepsOf(iterator, (result) => frame.suspend(result, site));
}

/** The values of a synchronous iterator are awaited one by one by the engine. */
function syncSteps(frame: Frame, iterator: AnyIterator, site: number): unknown {
  return stepsOf(iterator, (result) => {
    const { done, value } = result as IteratorResult<unknown>;
    return { done, value: frame.suspend(value, site) };
  });
}

function stepsOf(iterator: AnyIterator, around: (result: unknown) => unknown): unknown {
  if (iterator === null || typeof iterator !== 'object') return iterator;
  const next = iterator.next as Step;
  const forward = (method: Step | null | undefined): Step | undefined =>
    method === null || method === undefined
      ? undefined
      : (...args) => around(Reflect.apply(method, iterator, args));
  return {
    next: forward(next),
    get return() {
      return forward(iterator.return as Step | undefined);
    },
    get throw() {
      return forward(iterator.throw as Step | undefined);
    },
  };
}
