/**
 * A simulated process on a machine of its own: what the virtual builtins keep for it (files,
 * sockets, the thread pool) is found here by its class.
 *
 * A simulation begins on one host. The task that runs says which one code belongs to.
 */

import type { Scheduler } from '../tasks/scheduler.js';
import type { Faults } from './faults.js';

/**
 * A part of a host, made when it is first asked for. One that is `durable` is handed on to the
 * process that runs on the machine after a crash; all others end with theirs.
 */
export type HostPart<T> = (new (host: Host) => T) & { readonly durable?: boolean };

/** What a part may do when the process ends. */
interface Ending {
  /** The machine has lost its power; for a part without `processEnded`, also any other end. */
  crash?(): void;
  /** The process has ended, and the machine goes on. */
  processEnded?(): void;
}

/** How the clocks of a host differ from the time of the simulation. */
export interface HostClock {
  /** By how much the time of day is ahead, in nanoseconds; `clockJump` adds to it. */
  skew: number;
  /** By which share its clocks and timers are too fast: 0.001 gains a millisecond in a second. */
  readonly drift: number;
}

/** A program may replace the global one. */
const KeptMap = Map;

export class Host {
  /** Its own faults; those of the simulation when undefined. */
  ownFaults: Faults | undefined = undefined;
  /** The process has ended: nothing of it goes on. */
  dead = false;
  /** Until when nothing of it runs, in virtual nanoseconds. */
  pausedUntil = 0;
  clock: HostClock = { skew: 0, drift: 0 };
  /** When the process started, in virtual nanoseconds. */
  startedAt = 0;
  /** Its own environment variables; those of the real process when undefined. */
  environment: NodeJS.ProcessEnv | undefined = undefined;
  /** Told before each operation of I/O that code on it begins. */
  beforeOperation: (() => void) | undefined = undefined;
  /** The process ends by itself: `process.exit`, or an error that nobody caught. */
  onEnd: ((code: number, error?: { readonly value: unknown }) => void) | undefined = undefined;
  /** The process is the n-th that a scope has started beside the first; 0 is the first. */
  number = 0;
  private readonly parts = new KeptMap<HostPart<unknown>, unknown>();

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

  /**
   * The process is no more: connections are reset, and what was not synced is lost where the
   * machine has lost its power.
   */
  end(power: boolean): void {
    this.dead = true;
    for (const part of this.parts.values() as Iterable<Ending>) {
      if (power || part.processEnded === undefined) part.crash?.();
      else part.processEnded();
    }
  }

  /** Hands on to the next process on the machine what outlives this one. */
  handOn(next: Host): void {
    for (const [Part, part] of this.parts) {
      if (Part.durable === true) next.parts.set(Part, part);
    }
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
