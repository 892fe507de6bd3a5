/**
 * Waits for several channels at once, and takes exactly one of the cases.
 *
 * When several are ready, which one is a choice of the simulation: the default is the first. After
 * Go (spec "Select statements"): the cases are evaluated once, on entry; a send on a closed channel
 * is ready, and fails.
 */

import { Kind } from '../../kernel/choice.js';
import { ANY } from '../../kernel/rung.js';
import type { Channel } from './channel.js';
import type { Operations } from './operations.js';
import { OperationSite, perform, Primitive, type Place, type Waiter } from './waiter.js';
import type { WaitQueue } from './wait-queue.js';

const SELECT = new OperationSite('select');

/** Receive from a channel. */
export interface ReceiveCase<T> {
  readonly recv: Channel<T>;
}

/** Send a value to a channel. */
export interface SendCase<T> {
  readonly send: Channel<T>;
  readonly value: T;
}

/** Taken when no other case is ready. */
export interface DefaultCase {
  readonly default: true;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of cases of any types
export type SelectCase = ReceiveCase<any> | SendCase<any> | DefaultCase;

/** The case that was taken. */
export interface Selected<T = unknown> {
  /** Its place among the cases, from 0. */
  readonly index: number;
  /** What was received; `undefined` for other cases, and from a channel that is closed and empty. */
  readonly value: T | undefined;
  /** Whether the case received that its channel is closed and empty. */
  readonly done: boolean;
}

type ReceivedOf<C> = C extends ReceiveCase<infer T> ? T : undefined;
type IndexOf<I> = I extends `${infer N extends number}` ? N : number;

/** What each of the cases gives: the index says which. */
export type SelectedOf<C extends readonly SelectCase[]> = {
  [I in keyof C]: Selected<ReceivedOf<C[I]>> & { readonly index: IndexOf<I> };
}[number];

/**
 * Waits until one of the cases is ready, takes it, and says which.
 * @throws {ChannelClosedError} (rejects) when it takes a send to a closed channel
 */
export function select<const C extends readonly SelectCase[]>(cases: C): Promise<SelectedOf<C>> {
  return perform(new Selection(cases), SELECT) as Promise<SelectedOf<C>>;
}

/** The place of a select in the line of one of its cases. */
class CasePlace implements Place {
  line: WaitQueue | undefined = undefined;
  before: Place | undefined = undefined;
  after: Place | undefined = undefined;

  constructor(
    readonly waiter: Waiter,
    readonly caseIndex: number,
    public value: unknown,
  ) {}
}

export class Selection extends Primitive {
  private readonly cases: readonly SelectCase[];
  private places: CasePlace[] = [];

  constructor(cases: readonly SelectCase[]) {
    super();
    this.cases = cases.map(evaluate);
  }

  override attempt(waiter: Waiter): boolean {
    const { cases } = this;
    let ready = 0;
    let otherwise = -1;
    for (let i = 0; i < cases.length; i++) {
      const one = cases[i]!;
      if (isReady(one)) ready++;
      else if ('default' in one) otherwise = i;
    }
    if (ready > 0) {
      this.take(waiter, this.nthReady(ready === 1 ? 0 : choice(waiter, ready)));
      return true;
    }
    if (otherwise >= 0) {
      waiter.value = { index: otherwise, value: undefined, done: false };
      return true;
    }
    this.waitEverywhere(waiter);
    return false;
  }

  /** One of the cases was taken by another task: the others are left. */
  override completed(waiter: Waiter, place: Place): void {
    if (!waiter.failed) {
      waiter.value = { index: place.caseIndex, value: waiter.value, done: waiter.done };
    }
    for (const other of this.places) {
      if (other === place) continue;
      const one = this.cases[other.caseIndex]!;
      if ('recv' in one) one.recv.leaves(other);
      else if ('send' in one) one.send.leaves(other);
    }
    this.places = [];
  }

  /** It has to do with all of its channels. */
  override effectsIn(): undefined {
    return undefined;
  }

  override touch(waiter: Waiter, operations: Operations): void {
    for (const one of this.cases) {
      if ('recv' in one) one.recv.touch(waiter, operations);
      else if ('send' in one) one.send.touch(waiter, operations);
    }
  }

  /** Takes a case that is ready. */
  private take(waiter: Waiter, index: number): void {
    const one = this.cases[index];
    if ('recv' in one) one.recv.recvFor(waiter);
    else if ('send' in one) one.send.sendFor(waiter, one.value);
    if (waiter.failed) return;
    waiter.value = { index, value: waiter.value, done: waiter.done };
  }

  /** Stands in the lines of all cases. */
  private waitEverywhere(waiter: Waiter): void {
    this.cases.forEach((one, i) => {
      const place = new CasePlace(waiter, i, 'send' in one ? one.value : undefined);
      this.places.push(place);
      if ('recv' in one) one.recv.waitToReceive(place);
      else if ('send' in one) one.send.waitToSend(place);
    });
  }

  private nthReady(n: number): number {
    let left = n;
    return this.cases.findIndex((one) => isReady(one) && left-- === 0);
  }
}

/** A case as it is on entry: nothing of it is looked at again. */
function evaluate(one: SelectCase): SelectCase {
  if ('recv' in one) return { recv: one.recv };
  if ('send' in one) return { send: one.send, value: one.value };
  if ('default' in one) return one;
  throw new TypeError(
    'A case of a select is one of { recv: channel }, { send: channel, value } and ' +
      '{ default: true }.',
  );
}

function isReady(one: SelectCase): boolean {
  if ('recv' in one) return one.recv.recvReady;
  return 'send' in one && one.send.sendReady;
}

/** Which of so many cases that are ready. */
function choice(waiter: Waiter, ready: number): number {
  const { scheduler } = waiter;
  if (scheduler === undefined) return 0;
  return scheduler.loop.choose(Kind.Select, ANY, waiter.owner.task, SELECT, ready - 1);
}
