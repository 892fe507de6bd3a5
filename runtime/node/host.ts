/**
 * A simulated process on a machine of its own: what the virtual builtins keep for it (files,
 * sockets, the thread pool) is found here by its class.
 *
 * A simulation begins on one host. The task that runs says which one code belongs to.
 */

import type { Scheduler } from '../tasks/scheduler.js';
import type { Faults } from './faults.js';

/** A part of a host, made when it is first asked for. */
export type HostPart<T> = new (host: Host) => T;

export class Host {
  /** Its own faults; those of the simulation when undefined. */
  ownFaults: Faults | undefined = undefined;
  private readonly parts = new Map<HostPart<unknown>, unknown>();

  /** @param address its IPv4 address; loopback always works as well */
  constructor(
    readonly scheduler: Scheduler,
    readonly name: string,
    readonly address: string,
  ) {
    registered(scheduler).push(this);
  }

  get faults(): Faults {
    return this.ownFaults ?? this.scheduler.faults;
  }

  part<T>(Part: HostPart<T>): T {
    let part = this.parts.get(Part);
    if (part === undefined) this.parts.set(Part, (part = new Part(this)));
    return part as T;
  }
}

const all = new WeakMap<Scheduler, Host[]>();

function registered(scheduler: Scheduler): Host[] {
  let hosts = all.get(scheduler);
  if (hosts === undefined) all.set(scheduler, (hosts = []));
  return hosts;
}

/** The hosts of a simulation, in the order in which they were made. */
export function hostsOf(scheduler: Scheduler): readonly Host[] {
  firstHost(scheduler);
  return registered(scheduler);
}

const firsts = new WeakMap<Scheduler, Host>();

/** The host on which the code that runs now is. */
export function currentHost(scheduler: Scheduler): Host {
  return scheduler.current.task.host ?? firstHost(scheduler);
}

/** The host on which a simulation begins. */
export function firstHost(scheduler: Scheduler): Host {
  let host = firsts.get(scheduler);
  if (host === undefined) firsts.set(scheduler, (host = new Host(scheduler, 'localhost', FIRST)));
  return host;
}

const FIRST = '10.0.0.1';
