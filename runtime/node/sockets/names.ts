/**
 * Names: what `dns` says of localhost, of the hosts of the simulation and of IP addresses.
 *
 * Node's `dns` calls the binding, which is replaced here; what it makes of an answer is its own.
 * `lookup` takes a thread of the pool, as in Node; `resolve` and its kin ask a server.
 */

import { isIP } from 'node:net';
import { Kind } from '../../kernel/choice.js';
import { mix } from '../../kernel/hash.js';
import { Source } from '../../kernel/source.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { currentHost, type Host } from '../host.js';
import { Operation } from '../operation.js';
import { beginReally } from '../plain-operation.js';
import { followed, simulated } from '../simulated.js';
import { ThreadPool } from '../thread-pool.js';
import { cares, UV } from './bindings.js';
import { SimulatedNetwork } from './network.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface LookupRequest {
  oncomplete(error: number | null, ...answer: unknown[]): void;
}

interface Query {
  /** The error is a code of c-ares, or null. */
  oncomplete(error: string | null, ...answer: unknown[]): void;
}

/** How long a look into the table of hosts takes, and a question to a server, in nanoseconds. */
const LOOKUP = 100_000;
const QUERY = 500_000;

/** Whether the next question of a host finds no answer. */
function fails(host: Host): boolean {
  const { loop, scope } = host.scheduler;
  const rate = host.faults.sockets.nameFailure ?? 0;
  if (rate <= 0) return false;
  const source = new Source(scope.task, `dns/${host.name}`);
  const occurrence = loop.ordinal(mix(source.base, Kind.NameFailure) >>> 1);
  return loop.strikes(Kind.NameFailure, source, occurrence, rate);
}

export function installNames(): void {
  for (const [name, replacement] of [
    ['getaddrinfo', lookup],
    ['getnameinfo', lookupService],
  ] as const) {
    cares[name] = replacement(cares[name] as AnyFunction);
  }
  const channel = (cares.ChannelWrap as { prototype: Record<string, AnyFunction> }).prototype;
  for (const name of Object.getOwnPropertyNames(channel)) {
    if (/^query|^getHostByAddr$/.test(name)) channel[name] = query(name, channel[name]);
  }
  const { cancel } = channel;
  channel.cancel = function () {
    for (const pending of [...pendingOf(this)]) pending.cancel();
    return apply(cancel, this, []) as unknown;
  };
}

function lookup(real: AnyFunction): AnyFunction {
  return function getaddrinfo(request: LookupRequest, name: string, family: number, ...rest) {
    const scheduler = followed();
    if (scheduler === undefined) {
      return apply(real, cares, [request, name, family, ...rest]) as unknown;
    }
    if (scheduler.plainNode) {
      return askReally(scheduler, 'GETADDRINFOREQWRAP', request, () => {
        return apply(real, cares, [request, name, family, ...rest]) as number;
      });
    }
    const host = currentHost(scheduler);
    const failing = fails(host);
    host.part(ThreadPool).run(scheduler, 'GETADDRINFOREQWRAP', LOOKUP, () => {
      const address = addressOf(scheduler, host, name, family);
      if (failing) request.oncomplete(UV.EAI_AGAIN);
      else if (address === undefined) request.oncomplete(UV.EAI_NONAME);
      else request.oncomplete(null, [address]);
    });
    return 0;
  };
}

/** Asks the machine itself, in a run on plain Node. */
function askReally(
  scheduler: Scheduler,
  type: string,
  request: LookupRequest,
  ask: () => number,
): number {
  const { oncomplete } = request;
  beginReally(scheduler, type, LOOKUP, (event) => {
    request.oncomplete = (...answer) => void event.run(() => apply(oncomplete, request, answer));
    const error = ask();
    if (error !== 0) request.oncomplete(error);
  });
  return 0;
}

/** @param family 4, 6, or 0 for any */
function addressOf(
  scheduler: Scheduler,
  host: Host,
  name: string,
  family: number,
): string | undefined {
  const found = SimulatedNetwork.of(scheduler).addressOf(host, name);
  const address = family === 6 && found === '127.0.0.1' && isIP(name) === 0 ? '::1' : found;
  const fits = address !== undefined && (family === 0 || family === isIP(address));
  return fits ? address : undefined;
}

function lookupService(real: AnyFunction): AnyFunction {
  return function getnameinfo(request: LookupRequest, address: string, port: number) {
    const scheduler = followed();
    if (scheduler === undefined) return apply(real, cares, [request, address, port]) as unknown;
    if (scheduler.plainNode) {
      return askReally(scheduler, 'GETNAMEINFOREQWRAP', request, () => {
        return apply(real, cares, [request, address, port]) as number;
      });
    }
    const host = currentHost(scheduler);
    const failing = fails(host);
    host.part(ThreadPool).run(scheduler, 'GETNAMEINFOREQWRAP', LOOKUP, () => {
      const name = SimulatedNetwork.of(scheduler).nameOf(host, address) ?? address;
      if (failing) request.oncomplete(UV.EAI_AGAIN);
      else request.oncomplete(null, name, SERVICES[port] ?? String(port));
    });
    return 0;
  };
}

const SERVICES: Readonly<Record<number, string>> = {
  22: 'ssh',
  53: 'domain',
  80: 'http',
  443: 'https',
};

interface Pending {
  cancel(): void;
}

/** The questions of each resolver that have no answer yet. */
const pendings = new WeakMap<object, Pending[]>();

function pendingOf(channel: object): Pending[] {
  let pending = pendings.get(channel);
  if (pending === undefined) pendings.set(channel, (pending = []));
  return pending;
}

function query(name: string, real: AnyFunction): AnyFunction {
  return function (this: object, request: Query, asked: string) {
    const scheduler = simulated();
    if (scheduler === undefined) return apply(real, this, [request, asked]) as unknown;
    const host = currentHost(scheduler);
    const failing = fails(host);
    const pending = pendingOf(this);
    const begin = (least: number, answer: () => string | readonly unknown[]): Pending => {
      const operation = new Operation(scheduler, 'QUERYWRAP', least, () => {
        pending.splice(pending.indexOf(one), 1);
        const answered = answer();
        if (typeof answered === 'string') request.oncomplete(answered);
        else request.oncomplete(null, ...answered);
      });
      return operation.begin();
    };
    const waits = begin(QUERY, () =>
      failing ? 'ESERVFAIL' : answerTo(scheduler, host, name, asked),
    );
    const one: Pending = {
      cancel: () => (waits.cancel(), void begin(0, () => 'ECANCELLED')),
    };
    pending.push(one);
    return 0;
  };
}

/** The answer of a server that knows the hosts of the simulation, or the code of an error. */
function answerTo(
  scheduler: Scheduler,
  host: Host,
  question: string,
  asked: string,
): string | readonly unknown[] {
  if (question === 'getHostByAddr') {
    const name = SimulatedNetwork.of(scheduler).nameOf(host, asked);
    return name === undefined ? 'ENOTFOUND' : [[name]];
  }
  const family = question === 'queryAaaa' ? 6 : question === 'queryA' ? 4 : 0;
  const address = addressOf(scheduler, host, asked, family);
  if (family !== 0 && address !== undefined) return [[address], [0]];
  const known = addressOf(scheduler, host, asked, 0) !== undefined;
  if (question === 'queryAny' && known) return [[{ address, ttl: 0, type: 'A' }]];
  return known ? 'ENODATA' : 'ENOTFOUND';
}
