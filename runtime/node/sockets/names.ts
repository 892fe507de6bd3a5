/**
 * Names: what `dns.lookup` says of localhost, of the hosts of the simulation and of IP addresses.
 *
 * Node's `dns` calls the binding, which is replaced here; what it makes of an answer is its own.
 * Looking up takes a thread of the pool, as in Node.
 */

import { isIP } from 'node:net';
import { currentHost } from '../host.js';
import { simulated } from '../simulated.js';
import { ThreadPool } from '../thread-pool.js';
import { cares, UV } from './bindings.js';
import { SimulatedNetwork } from './network.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface LookupRequest {
  oncomplete(error: number | null, ...answer: unknown[]): void;
}

/** How long a look into the table of hosts takes, in nanoseconds. */
const LOOKUP = 100_000;

export function installNames(): void {
  replace('getaddrinfo', lookup);
}

function replace(name: string, replacement: (real: AnyFunction) => AnyFunction): void {
  cares[name] = replacement(cares[name] as AnyFunction);
}

function lookup(real: AnyFunction): AnyFunction {
  return function getaddrinfo(request: LookupRequest, name: string, family: number, ...rest) {
    const scheduler = simulated();
    if (scheduler === undefined) {
      return apply(real, cares, [request, name, family, ...rest]) as unknown;
    }
    const host = currentHost(scheduler);
    host.part(ThreadPool).run(scheduler, 'GETADDRINFOREQWRAP', LOOKUP, () => {
      const found = SimulatedNetwork.of(scheduler).addressOf(host, name);
      const address = family === 6 && found === '127.0.0.1' ? '::1' : found;
      const fits = address !== undefined && (family === 0 || family === isIP(address));
      if (fits) request.oncomplete(null, [address]);
      else request.oncomplete(UV.EAI_NONAME);
    });
    return 0;
  };
}
