/**
 * Makes hosts, and ends them with the scope in which they were made.
 */

import { isIPv4 } from 'node:net';
import type { Scope } from '../kernel/choice.js';
import { firstHost } from '../node/host.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { checkHost, SimulatedHost, type HostOptions, type Program } from './simulated-host.js';

const made = new WeakMap<Scheduler, Set<SimulatedHost>>();

function madeIn(scheduler: Scheduler): Set<SimulatedHost> {
  let hosts = made.get(scheduler);
  if (hosts === undefined) made.set(scheduler, (hosts = new Set()));
  return hosts;
}

/** See {@link Sim.host}. */
export function makeHost(
  scheduler: Scheduler,
  name: string,
  program: Program,
  options: HostOptions,
): SimulatedHost {
  checkHost(name, program, options);
  if (scheduler.plainNode) {
    throw new Error(`host "${name}": there are hosts in a simulation only, not on plain Node.`);
  }
  const hosts = madeIn(scheduler);
  const taken = (one: { name: string; address: string }): boolean =>
    one.name === name || one.address === options.address;
  if ([firstHost(scheduler), ...hosts].some(taken)) {
    throw new RangeError(
      `host "${name}": a host of this simulation has this name or address already.`,
    );
  }
  const address = options.address ?? freeAddress([firstHost(scheduler), ...hosts]);
  if (!isIPv4(address)) {
    throw new RangeError(`host "${name}": "${address}" is no IPv4 address such as 10.0.0.7.`);
  }
  const host = new SimulatedHost(scheduler, name, program, address, options);
  hosts.add(host);
  return host;
}

/** Ends the hosts that were made in a scope; their names are free again. */
export function closeHosts(scheduler: Scheduler, scope: Scope): void {
  const hosts = made.get(scheduler);
  if (hosts === undefined) return;
  for (const host of [...hosts]) {
    if (!host.belongsTo(scope)) continue;
    host.close();
    hosts.delete(host);
  }
}

function freeAddress(hosts: readonly { readonly address: string }[]): string {
  const taken = new Set(hosts.map(({ address }) => address));
  for (let last = 2; ; last++) {
    const address = `10.0.${last >> 8}.${last & 255}`;
    if (!taken.has(address)) return address;
  }
}
