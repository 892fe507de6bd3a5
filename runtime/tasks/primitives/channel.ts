/**
 * Channels: values go from senders to receivers, each to one receiver, in the order they were sent.
 *
 * Without capacity a send and a receive meet: neither goes on before the other has come. With one,
 * a send goes on as long as there is room. Whoever waits is served first come first served. As in
 * Go (spec "Channel types" and "Close"), after Hoare, "Communicating Sequential Processes", 1978.
 */

import { ChannelClosedError } from '../../errors.js';
import { Fifo } from './fifo.js';
import {
  noteEffect,
  OperationSite,
  perform,
  Primitive,
  type Place,
  type Waiter,
} from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const SEND = new OperationSite('Channel.send');
const RECV = new OperationSite('Channel.recv');
const NEXT = new OperationSite('Channel.next');
const CLOSE = new OperationSite('Channel.close');

export class Channel<T> extends Primitive implements AsyncIterable<T> {
  private readonly buffer = new Fifo<T>();
  private readonly senders = new WaitQueue();
  private readonly receivers = new WaitQueue();
  private isClosed = false;

  /**
   * @param capacity how many values it keeps for receivers that have not come yet; with 0 every
   *   send waits for its receiver
   * @throws {RangeError} when it is not a whole number of at least 0, or Infinity
   */
  constructor(readonly capacity = 0) {
    super();
    if (!(capacity >= 0) || (capacity !== Infinity && !Number.isInteger(capacity))) {
      throw new RangeError(
        `A channel has a capacity of a whole number of values, or Infinity, not ${capacity}.`,
      );
    }
  }

  /** How many values it keeps. */
  get length(): number {
    return this.buffer.length;
  }

  get closed(): boolean {
    return this.isClosed;
  }

  /**
   * Sends a value; resolves when it was received, or kept.
   * @throws {ChannelClosedError} (rejects) when the channel is closed, or is while the value waits
   */
  send(value: T): Promise<void> {
    return perform(this, SEND, value) as Promise<void>;
  }

  /**
   * Receives a value. Resolves to `undefined` when the channel is closed and empty; where that can
   * be a value too, {@link Channel.next} tells them apart.
   */
  recv(): Promise<T | undefined> {
    return perform(this, RECV) as Promise<T | undefined>;
  }

  /** Receives a value as an iterator does: `done` when the channel is closed and empty. */
  next(): Promise<IteratorResult<T, undefined>> {
    return perform(this, NEXT) as Promise<IteratorResult<T, undefined>>;
  }

  /** Receives until the channel is closed and empty. Leaving the loop early does not close it. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined, undefined> {
    return { next: () => this.next() };
  }

  /**
   * Sends a value if it need not wait for that, and returns whether it has. No yield point.
   * @throws {ChannelClosedError} when the channel is closed
   */
  trySend(value: T): boolean {
    if (this.isClosed) throw new ChannelClosedError('sent to');
    noteEffect(this, SEND);
    return this.give(value);
  }

  /** Receives a value if there is one, or that the channel is closed and empty. No yield point. */
  tryRecv(): IteratorResult<T, undefined> | undefined {
    noteEffect(this, RECV);
    if (this.canReceive()) return { value: this.take()!, done: false };
    return this.isClosed ? { value: undefined, done: true } : undefined;
  }

  /**
   * Nothing will be sent any more. Receivers get what is kept, and then learn that it is closed; a
   * sender that waits fails.
   * @throws {ChannelClosedError} when it was closed before
   */
  close(): void {
    if (this.isClosed) throw new ChannelClosedError('closed');
    this.isClosed = true;
    noteEffect(this, CLOSE);
    for (let p = this.receivers.shift(); p !== undefined; p = this.receivers.shift()) {
      this.hand(p, undefined, true);
    }
    for (let p = this.senders.shift(); p !== undefined; p = this.senders.shift()) {
      p.waiter.fail(new ChannelClosedError('sent to'));
      p.waiter.wake(p);
    }
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    if (waiter.operation === SEND) {
      if (this.sendFor(waiter, waiter.value)) return true;
      this.waitToSend(waiter);
    } else {
      if (this.recvFor(waiter)) return true;
      this.waitToReceive(waiter);
    }
    return false;
  }

  /** @internal Sends a value for a waiter. Returns false when that has to wait. */
  sendFor(waiter: Waiter, value: unknown): boolean {
    if (this.isClosed) waiter.fail(new ChannelClosedError('sent to'));
    else if (this.give(value as T)) waiter.value = undefined;
    else return false;
    return true;
  }

  /** @internal Receives for a waiter. Returns false when that has to wait. */
  recvFor(waiter: Waiter): boolean {
    if (this.canReceive()) this.found(waiter, this.take(), false);
    else if (this.isClosed) this.found(waiter, undefined, true);
    else return false;
    return true;
  }

  /** @internal Puts a sender in line. */
  waitToSend(place: Place): void {
    this.senders.add(place);
  }

  /** @internal Puts a receiver in line. */
  waitToReceive(place: Place): void {
    this.receivers.add(place);
  }

  /** @internal Whether a send need not wait: it may fail. */
  get sendReady(): boolean {
    return this.isClosed || this.buffer.length < this.capacity || !this.receivers.empty;
  }

  /** @internal Whether a receive need not wait. */
  get recvReady(): boolean {
    return this.isClosed || this.canReceive();
  }

  /** @internal A select that has waited here waits no more. */
  leaves(place: Place): void {
    if (place.line !== undefined) place.line.remove(place);
  }

  /** @internal Whether somebody waits to receive. */
  get awaited(): boolean {
    return !this.receivers.empty;
  }

  private canReceive(): boolean {
    return this.buffer.length > 0 || !this.senders.empty;
  }

  /** @internal Gives a value to the first receiver, or keeps it; false when it can do neither. */
  give(value: T): boolean {
    const receiver = this.receivers.shift();
    if (receiver !== undefined) this.hand(receiver, value, false);
    else if (this.buffer.length < this.capacity) this.buffer.push(value);
    else return false;
    return true;
  }

  /** Takes the first value; the first sender that waits moves up. */
  private take(): T | undefined {
    const sender = this.senders.shift();
    const value = sender?.value as T;
    if (sender !== undefined) {
      sender.waiter.value = undefined;
      sender.waiter.wake(sender);
    }
    if (this.buffer.length === 0) return value;
    if (sender !== undefined) this.buffer.push(value);
    return this.buffer.shift();
  }

  private hand(receiver: Place, value: T | undefined, done: boolean): void {
    this.found(receiver.waiter, value, done);
    receiver.waiter.wake(receiver);
  }

  private found(waiter: Waiter, value: T | undefined, done: boolean): void {
    waiter.done = done;
    waiter.value = waiter.operation === NEXT ? { value, done } : value;
  }
}
