/**
 * A host of a simulation: a machine with one process on it, which can crash and start again.
 *
 * Each process is a {@link Host}: its tasks say that they belong to it, and when it has ended
 * nothing of them goes on. What outlives it (the disk) is handed on to the next. Everything that
 * happens to a host is an event of its own, so no promise of it is about to be settled then.
 */

import { AsyncResource } from 'node:async_hooks';
import { checkFunction, checkNames, checkString, checkTime } from '../kernel/arguments.js';
import { hashString, mix } from '../kernel/hash.js';
import { Host } from '../node/host.js';
import { siteOfCall } from '../node/operation.js';
import { promiseResolve, pristine, runInContext, subscribe } from '../node/pristine.js';
import { ownEvent } from './own-event.js';
import { FaultSettingsError, resolveFaults, type FaultSettings } from '../node/fault-settings.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { unknownSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';
import { endTasks } from './end-tasks.js';
import { crashesBySeed, downtimeOf } from './seeded-crash.js';
import { processEnded } from './process-ended.js';
import { useOwnEnvironment } from './process.js';

export interface HostOptions {
  /** Its IPv4 address. Default: 10.0.0.2, 10.0.0.3, … in the order in which hosts are made. */
  readonly address?: string;
  /** Its environment variables, in place of those of the real process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: {
    /** By how many nanoseconds its time of day is ahead of the simulation's; may be negative. */
    readonly skew?: number;
    /** By which share its clocks and timers run too fast: 0.001 gains 1 ms in a second. */
    readonly drift?: number;
  };
  /** Its own faults, in place of those of the config and the command line. */
  readonly faults?: FaultSettings;
}

/** A program of a host: a file, evaluated anew for each of its processes, or a function. */
export type Program = string | (() => unknown);

/** How a process came to its end. */
export interface HostExit {
  /** The exit code; undefined when the machine crashed. */
  readonly code: number | undefined;
  /** What ended it, when that was an error that nobody caught. */
  readonly error?: unknown;
}

/** A promise with the functions that settle it. */
interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

const PROCESSES = hashString('processes');

/** In no async context of the test that makes a host. */
const outside = new AsyncResource('SimulatedHost');

/** See {@link Sim.host}. */
export class SimulatedHost {
  private process: Host | undefined;
  private readyOne: Deferred<void> = deferred();
  private exitOne: Deferred<HostExit> = deferred();
  private exitAwaited = false;
  private readonly entry: () => unknown;
  private readonly root: Task;
  private readonly skew: number;
  private jumped = 0;

  /** @internal */
  constructor(
    private readonly scheduler: Scheduler,
    /** The name by which others reach it. */
    readonly name: string,
    program: Program,
    readonly address: string,
    private readonly options: HostOptions,
  ) {
    this.entry = entryOf(scheduler, name, program);
    this.root = scheduler.scope.task;
    this.skew = options.clock?.skew ?? 0;
    if (options.env !== undefined) useOwnEnvironment();
    this.start();
  }

  /** Whether a process runs on it. */
  get running(): boolean {
    return this.process !== undefined;
  }

  /**
   * Settles when its program has been evaluated; for a function, when what it returns has settled.
   * After a restart it is about the new process.
   */
  get ready(): Promise<void> {
    return this.readyOne.promise;
  }

  /**
   * How the process that runs now ends. Whoever asks expects that it may end: otherwise an error
   * that nobody catches on the host fails the test.
   */
  exited(): Promise<HostExit> {
    this.exitAwaited = true;
    return this.exitOne.promise;
  }

  /**
   * The machine loses its power: its tasks end for good, its connections are reset, and what was
   * not synced is lost. Settles when that has happened.
   */
  crash(): Promise<void> {
    return this.event(() => this.end({ code: undefined }, true));
  }

  /** Starts the program anew, on the disk as it is; ends the process first that may run. */
  async restart(): Promise<void> {
    await this.event(() => {
      this.end({ code: undefined }, false);
      this.start();
    });
    return this.ready;
  }

  /**
   * Nothing of it runs for so many nanoseconds, as if its process were stopped or its machine
   * moved. What happens to it meanwhile it learns of afterwards.
   */
  pause(duration: number): void {
    checkTime('host.pause', 'the duration', duration);
    if (this.process !== undefined) this.process.pausedUntil = this.scheduler.loop.now + duration;
  }

  /**
   * Moves its time of day by so many nanoseconds, which may be negative. Its timers do not move.
   */
  clockJump(nanoseconds: number): void {
    if (!Number.isSafeInteger(nanoseconds)) {
      throw new RangeError(
        `host.clockJump: a jump is a whole number of nanoseconds, not ${nanoseconds}.`,
      );
    }
    this.jumped += nanoseconds;
    if (this.process !== undefined) this.process.clock.skew += nanoseconds;
  }

  /** @internal The scope in which it was made has ended. */
  close(): void {
    this.exitAwaited = true;
    this.end({ code: undefined }, false);
  }

  /** @internal Whether it belongs to a scope. */
  belongsTo(scope: Task['scope']): boolean {
    return this.root.scope === scope;
  }

  // ---- processes -------------------------------------------------------------------------------

  private last: Host | undefined;

  private start(): void {
    const { scheduler, name, options } = this;
    const host = new Host(scheduler, name, this.address);
    this.last?.handOn(host);
    this.last = this.process = host;
    host.startedAt = scheduler.loop.now;
    host.number = scheduler.loop.ordinal(mix(this.root.hash, PROCESSES) >>> 1);
    host.clock = { skew: this.skew + this.jumped, drift: options.clock?.drift ?? 0 };
    host.environment = options.env === undefined ? undefined : { ...options.env };
    if (options.faults !== undefined) host.ownFaults = faultsOf(name, options.faults);
    host.onEnd = (code, error) => this.endByItself(host, code, error);
    host.beforeOperation = crashesBySeed(host, () => void this.powerCycle(host));
    if (this.exitAwaited || this.readySettled) this.renew();
    const label = name.replace(/[/#]/g, '_');
    const task = scheduler.childTask(this.root, label, hashString(label));
    task.host = host;
    // A server that waits for requests is not stuck.
    task.background = true;
    scheduler.loop.after(0, () => this.run(host, task));
  }

  private readySettled = false;

  private renew(): void {
    this.readyOne = deferred();
    this.exitOne = deferred();
    this.readySettled = false;
  }

  private run(host: Host, task: Task): void {
    const { scheduler, readyOne } = this;
    const failed = (error: unknown): void => {
      if (host.dead) return;
      this.settleReady(() => readyOne.reject(error));
      if (error !== processEnded) this.endByItself(host, 1, { value: error });
    };
    const evaluate = (): void => {
      let result: unknown;
      try {
        result = this.entry();
      } catch (error) {
        failed(error);
        return;
      }
      subscribe(promiseResolve(result), () => this.settleReady(() => readyOne.resolve()), failed);
    };
    scheduler.runEvent(task, unknownSite, undefined, () => runInContext(outside, evaluate));
  }

  /** In an event of its own: who waits for it may be code that is not instrumented. */
  private settleReady(settle: () => void): void {
    this.readySettled = true;
    this.beside(settle);
  }

  /** The process ends by itself, in an event of its own: code of it may be running now. */
  private endByItself(host: Host, code: number, error?: { readonly value: unknown }): void {
    const { scheduler } = this;
    this.beside(() => {
      if (this.process !== host) return;
      const expected = this.exitAwaited;
      this.end({ code, ...(error === undefined ? {} : { error: error.value }) }, false);
      if (error !== undefined && !expected) scheduler.loop.reportError(error.value);
    });
  }

  /** The power fails, and comes back after a while. */
  private powerCycle(host: Host): void {
    const { scheduler } = this;
    this.beside(() => {
      if (this.process !== host) return;
      const downtime = downtimeOf(host);
      this.end({ code: undefined }, true);
      scheduler.loop.after(downtime, () => {
        if (this.process === undefined) this.start();
      });
    });
  }

  private end(exit: HostExit, power: boolean): void {
    const host = this.process;
    if (host === undefined) return;
    this.process = undefined;
    host.end(power);
    endTasks(this.scheduler, host);
    this.exitOne.resolve(exit);
  }

  /** Somebody asks that something happens to the host: an event of who asks. */
  private event(happen: () => void): Promise<void> {
    const { scheduler } = this;
    const done = deferred<void>();
    const settled = (): void => {
      happen();
      done.resolve();
    };
    if (scheduler.current.task.host?.dead === true) this.beside(settled);
    else ownEvent(scheduler, siteOfCall(scheduler), settled);
    return done.promise;
  }

  /** Something happens to the host by itself: an event that belongs to no process. */
  private beside(happen: () => void): void {
    const { scheduler } = this;
    const { current } = scheduler;
    scheduler.current = scheduler.scope;
    ownEvent(scheduler, unknownSite, happen);
    scheduler.current = current;
  }
}

/**
 * What a process runs.
 * @throws an error for the user when a file cannot be found
 */
function entryOf(scheduler: Scheduler, name: string, program: Program): () => unknown {
  if (typeof program === 'function') return program;
  const { programs } = scheduler;
  if (programs === undefined) {
    throw new Error(
      `host "${name}": the program is a file (${program}), and only a test run of detsim compiles ` +
        'files. Give a function here, or run the scenario with detsim sweep.',
    );
  }
  const { file } = scheduler.current.site;
  const found = programs.find(program, file === '' ? undefined : file);
  return () => programs.evaluate(found);
}

function faultsOf(name: string, settings: FaultSettings): ReturnType<typeof resolveFaults> {
  try {
    return resolveFaults(settings);
  } catch (error) {
    if (!(error instanceof FaultSettingsError)) throw error;
    throw new RangeError(`host "${name}": ${error.message}.`);
  }
}

const NAMES = ['address', 'env', 'clock', 'faults'];

/** @throws {TypeError | RangeError} with the argument that is wrong */
export function checkHost(name: string, program: Program, options: HostOptions): void {
  checkString('host', 'the name', name);
  if (typeof program !== 'string') checkFunction('host', 'the program', program);
  checkNames('host', options, NAMES);
  checkNames('host', options.clock ?? {}, ['skew', 'drift']);
  const { skew = 0, drift = 0 } = options.clock ?? {};
  if (!Number.isSafeInteger(skew)) {
    throw new RangeError(`host: clock.skew must be a whole number of nanoseconds, not ${skew}.`);
  }
  if (!(Math.abs(drift) < 1)) {
    throw new RangeError(`host: clock.drift must be a share between -1 and 1, not ${drift}.`);
  }
}

function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new pristine.Promise<T>((one, other) => {
    resolve = one;
    reject = other;
  });
  // Nobody has to look.
  subscribe(promise, ignore, ignore);
  return { promise, resolve, reject };
}

function ignore(): void {}
