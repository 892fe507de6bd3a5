/**
 * `MessageChannel` and its ports inside a simulation: what is posted by one end is delivered to the
 * other as an event; see port-end.ts.
 */

import workerThreads, { type MessagePort } from 'node:worker_threads';
import { patch, patchConstructor } from './facade.js';
import { endOf, PortEnd, type Envelope } from './port-end.js';
import { simulated } from './simulated.js';
import { isPassing, throws } from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

export function installMessagePorts(): void {
  patchConstructor(globalThis, 'MessageChannel', 'globalThis.MessageChannel', same, connect);
  patchConstructor(workerThreads, 'MessageChannel', 'worker_threads.MessageChannel', same, connect);
  const { prototype } = workerThreads.MessagePort;
  patch(prototype, 'postMessage', 'MessagePort.postMessage', postMessageWith);
  patch(prototype, 'close', 'MessagePort.close', closeWith);
  // Node starts a port, and refers to it, when the first listener for messages is added.
  patch(prototype, 'start', 'MessagePort.start', (real) =>
    knowing(real, (end) => {
      end.started = true;
      end.look();
    }),
  );
  patch(prototype, 'ref', 'MessagePort.ref', (real) =>
    knowing(real, (end) => {
      end.referred = true;
      end.look();
    }),
  );
  patch(prototype, 'unref', 'MessagePort.unref', (real) =>
    knowing(real, (end) => {
      if (end.port!.listenerCount('message') === 0) end.started = end.referred = false;
    }),
  );
  patch(workerThreads, 'receiveMessageOnPort', 'worker_threads.receiveMessageOnPort', receiveWith);
}

function same(args: unknown[]): unknown[] {
  return args;
}

function connect(made: object): void {
  const scheduler = isPassing() ? undefined : simulated();
  if (scheduler === undefined) return;
  const { port1, port2 } = made as { port1: MessagePort; port2: MessagePort };
  const kept = scheduler.loadingPackage;
  const one = new PortEnd(scheduler, port1, kept);
  const two = new PortEnd(scheduler, port2, kept);
  one.peer = two;
  two.peer = one;
}

/** The end of a port inside a simulation; undefined for any other port, and outside. */
function simulatedEnd(port: unknown): PortEnd | undefined {
  const end = endOf(port);
  const scheduler = end === undefined || isPassing() ? undefined : simulated();
  return scheduler === undefined ? undefined : end!.adopt(scheduler);
}

/** Tells the end of what was called. */
function knowing(real: AnyFunction, tell: (end: PortEnd) => void): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const result = apply(real, this, args) as unknown;
    const end = simulatedEnd(this);
    if (end !== undefined) tell(end);
    return result;
  };
}

function postMessageWith(real: AnyFunction): AnyFunction {
  const trap = throws('MessagePort.postMessage')(real);
  return function (this: unknown, ...args: unknown[]) {
    const end = simulatedEnd(this);
    if (end === undefined) return apply(trap, this, args) as unknown;
    if (args.length === 0) return apply(real, this, args) as unknown;
    const transferred = transferOf(args[1]);
    const moved = transferred.map(endOf).filter((one) => one !== undefined);
    const ports = moved.map((one) => one.port!);
    if (end.closed || end.peer.closed) {
      structuredClone(args[0], { transfer: transferred });
      return true;
    }
    const envelope: Envelope = [args[0], ports];
    const posted = apply(real, this, [envelope, transferred]) as unknown;
    for (const one of moved) one.leave();
    end.peer.post(moved);
    return posted;
  };
}

/** The transfer list of a call, which is the second argument or a part of it. */
function transferOf(argument: unknown): ArrayBuffer[] {
  if (typeof argument !== 'object' || argument === null) return [];
  const list =
    Symbol.iterator in argument ? argument : (argument as { transfer?: unknown }).transfer;
  return list === undefined ? [] : [...(list as Iterable<ArrayBuffer>)];
}

function closeWith(real: AnyFunction): AnyFunction {
  return function (this: MessagePort, ...args: unknown[]) {
    const end = simulatedEnd(this);
    if (end === undefined) return apply(real, this, args) as unknown;
    if (end.closed) return undefined;
    if (typeof args[0] === 'function') this.once('close', args[0] as () => void);
    end.close();
    return undefined;
  };
}

function receiveWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const end = simulatedEnd(args[0]);
    if (end === undefined) return apply(real, this, args) as unknown;
    const envelope = end.receive();
    return envelope === undefined ? undefined : { message: envelope[0] };
  };
}
