/**
 * A scenario's own simulation: virtual time, events, random numbers, invariants.
 *
 * It is the event loop and the scheduler that run the tests of a sweep as well, made by hand: what
 * a scenario schedules, messages, tasks and timers of the program are events of one queue, and what
 * is decided about them is one sequence of choices.
 */

import {
  checkCount,
  checkFunction,
  checkNames,
  checkString,
  checkTime,
} from '../kernel/arguments.js';
import { EventLoop } from '../kernel/event-loop.js';
import { ANY } from '../kernel/rung.js';
import type { Simulation } from '../kernel/simulation.js';
import { Source } from '../kernel/source.js';
import { makeHost } from '../hosts/make-host.js';
import { endsHost } from '../hosts/process.js';
import type { HostOptions, Program, SimulatedHost } from '../hosts/simulated-host.js';
import { pristine } from '../node/pristine.js';
import { SimulatedNetwork } from '../node/sockets/network.js';
import type { ScopePlan } from '../explore/plan.js';
import { LivelockError } from '../errors.js';
import { spawn, type SpawnOptions } from '../tasks/api.js';
import { Scheduler } from '../tasks/scheduler.js';
import type { Task } from '../tasks/task.js';
import { InvariantError, LivenessError, StepBudgetError, type Point } from './errors.js';
import { SimLog, type SimEvent } from './log.js';
import { Random } from './random.js';
import { AwaitedCondition } from './awaited-condition.js';
import { Run, runAsync } from './run.js';
import { RunElsewhere } from './run-elsewhere.js';
import { seeded } from './seeded.js';
import { CallbackTimer, type SimTimer } from './timer.js';

/** Units of virtual time, in nanoseconds. */
export const microsecond = 1e3;
export const millisecond = 1e6;
export const second = 1e9;

const MAX_STEPS = 5_000_000;

export interface SimOptions {
  /**
   * Decides everything; a whole number from 0 to 2^53 - 1. Seed 0 is the empty schedule: no fault
   * strikes, and everything takes its least time. Default 1.
   */
  readonly seed?: number;
  /** How many events may run in the life of the simulation. Default 5,000,000. */
  readonly maxSteps?: number;
  /** Whether {@link Sim.trace} is recorded, which costs time and memory. Default false. */
  readonly trace?: boolean;
}

/** @internal One trial of a test, where {@link SimOptions} are those of a scenario. */
export interface SimTrial {
  readonly title: string;
  readonly plan: ScopePlan;
  readonly maxSteps: number;
  /** Nanoseconds. */
  readonly maxStall: number;
}

interface Invariant {
  readonly name: string;
  readonly check: () => void;
}

export class Sim implements Simulation {
  /** What decides everything. */
  readonly seed: number;
  /** @internal */
  readonly loop: EventLoop;
  /** @internal */
  readonly root: Task;
  /** @internal */
  readonly log: SimLog | undefined = undefined;
  /** @internal */
  readonly scheduler: Scheduler;

  private readonly runner: Run | RunElsewhere;
  private readonly streams = new Map<string, Random>();
  private readonly invariants: Invariant[] = [];
  private readonly healers: (() => void)[] = [];
  private readonly awaited = new Set<AwaitedCondition>();

  /**
   * @param within @internal a trial to make it for, or the simulation of a test runner
   * @throws {RangeError | TypeError} when an option is not what it must be
   */
  constructor(options: SimOptions = {}, within?: SimTrial | Scheduler) {
    checkNames('new Sim', options, ['seed', 'maxSteps', 'trace']);
    const { seed = 1, maxSteps = MAX_STEPS, trace = false } = options;
    checkCount('new Sim', 'the seed', seed);
    if (maxSteps !== Infinity) checkCount('new Sim', 'maxSteps', maxSteps, 1);
    this.seed = seed;
    if (within instanceof Scheduler) {
      this.scheduler = within;
      this.loop = within.loop;
      this.root = within.scope.task;
      this.runner = new RunElsewhere(within);
      return;
    }
    const run = new Run(() => this.point);
    this.loop = new EventLoop({
      drain: () => run.afterEvent(),
      onError: (error) => void (endsHost(this.scheduler, error) || run.fail(error)),
      onIdle: () => false,
      onBudget: () => run.failAs(this.budgetError(within)),
      maxSteps: within?.maxSteps ?? maxSteps,
      maxStall: within?.maxStall ?? 0,
      turnsTakeTime: within !== undefined,
    });
    // The shape of a scenario is made of the operations of its tasks.
    this.loop.takesOrder = within !== undefined;
    this.scheduler = run.scheduler = new Scheduler(this.loop);
    this.scheduler.unmarkedStandIn = within !== undefined;
    const title = within?.title ?? 'sim';
    const plan = within?.plan(title) ?? { rung: ANY, strategy: seeded(seed) };
    this.root = this.scheduler.beginScope({ title, ...plan });
    this.log = trace ? new SimLog(this.loop) : undefined;
    this.runner = run;
  }

  /** Virtual nanoseconds since the start. */
  get now(): number {
    return this.loop.now;
  }

  /** How many events have run. */
  get steps(): number {
    return this.loop.steps;
  }

  /**
   * A fingerprint of the order in which tasks did what they did, equal for runs that differ only in
   * the order of operations which have nothing to do with each other.
   */
  get shape(): number {
    return this.scheduler.operations.shape;
  }

  // ---- events ----------------------------------------------------------------------------------

  /**
   * Calls `callback` when `delay` nanoseconds have passed. Of what is due at one time, what was
   * asked for first comes first.
   * @throws {RangeError} when the delay is negative, no whole number, or not finite
   */
  after(delay: number, callback: () => void): SimTimer {
    checkTime('sim.after', 'the delay', delay);
    checkFunction('sim.after', 'the callback', callback);
    return this.schedule(delay, callback);
  }

  /**
   * Calls `callback` at a virtual time.
   * @throws {RangeError} when the time is past, no whole number, or not finite
   */
  at(time: number, callback: () => void): SimTimer {
    checkTime('sim.at', 'the time', time);
    checkFunction('sim.at', 'the callback', callback);
    this.checkNotPast('sim.at', time);
    return this.schedule(time - this.loop.now, callback);
  }

  /** Calls `callback` at this virtual time, after all that is due at it already. */
  immediately(callback: () => void): SimTimer {
    checkFunction('sim.immediately', 'the callback', callback);
    return this.schedule(0, callback);
  }

  /**
   * Takes a timer back. Returns false when it has run or was cancelled before.
   * @throws {TypeError} when it is no timer of this simulation
   */
  cancel(timer: SimTimer): boolean {
    if (timer instanceof CallbackTimer && timer.simulation === this) return timer.cancel();
    throw new TypeError('sim.cancel: this is no timer of this simulation.');
  }

  private schedule(delay: number, callback: () => void): SimTimer {
    const timer = new CallbackTimer(this, callback);
    this.loop.schedule(delay, timer);
    return timer;
  }

  // ---- running ---------------------------------------------------------------------------------

  /**
   * Runs until nothing is pending but for tasks in the background. Returns how many events ran.
   * @throws what a callback threw; {@link DeadlockError} when a task still waits;
   *   {@link InvariantError}; {@link StepBudgetError}
   */
  run(): number {
    return this.runner.until(Infinity, 'run');
  }

  /**
   * Runs everything that is due at `time` or before; `now` is `time` afterwards. Returns how many
   * events ran.
   * @throws as {@link Sim.run} does, and {RangeError} when the time is past
   */
  runUntil(time: number): number {
    checkTime('sim.runUntil', 'the time', time);
    this.checkNotPast('sim.runUntil', time);
    return this.runner.until(time, 'runUntil');
  }

  /**
   * Runs for so many nanoseconds from `now` on. Returns how many events ran.
   * @throws as {@link Sim.run} does
   */
  runFor(duration: number): number {
    checkTime('sim.runFor', 'the duration', duration);
    return this.runner.until(this.loop.now + duration, 'runFor');
  }

  /**
   * {@link Sim.run} for an async function. Promises cannot be run to their end from inside another
   * promise's continuation, so this begins in a macrotask of its own.
   */
  runAsync(): Promise<number> {
    return runAsync(() => this.run());
  }

  // ---- tasks and random numbers ----------------------------------------------------------------

  /**
   * Starts `fn` as a task with a name: at once from inside the simulation, otherwise as soon as it
   * is run.
   * @returns what `fn` returns; a synchronous throw becomes a rejection
   */
  spawn<T>(
    name: string,
    fn: () => T | PromiseLike<T>,
    options: SpawnOptions = {},
  ): Promise<Awaited<T>> {
    checkString('sim.spawn', 'the name', name);
    checkFunction('sim.spawn', 'the task', fn);
    checkNames('sim.spawn', options, ['background']);
    if (this.runner.active) return spawn(name, fn, options);
    return new pristine.Promise((resolve) => {
      this.schedule(0, () => resolve(spawn(name, fn, options)));
    });
  }

  /** The stream of random numbers with this name. */
  random(stream: string): Random {
    checkString('sim.random', 'the name of the stream', stream);
    let random = this.streams.get(stream);
    if (random === undefined) {
      random = new Random(this.loop, new Source(this.root, `random/${stream}`));
      this.streams.set(stream, random);
    }
    return random;
  }

  // ---- what must hold --------------------------------------------------------------------------

  /**
   * Calls `check` after every event from now on. When it throws, the run ends with an
   * {@link InvariantError}.
   * @param name for the error
   */
  invariant(name: string, check: () => void): void {
    checkString('sim.invariant', 'the name', name);
    checkFunction('sim.invariant', 'the check', check);
    this.invariants.push({ name, check });
    this.runner.checks = () => this.check();
  }

  private check(): void {
    for (const one of [...this.awaited]) one.look();
    for (const { name, check } of this.invariants) {
      try {
        check();
      } catch (error) {
        this.runner.failAs(new InvariantError(name, this.point, error));
        return;
      }
    }
  }

  /**
   * Ends the phase of faults: heals every network and disk of this simulation, and what hosts are
   * cut off from. No fault strikes from here on; latencies stay as they are.
   */
  heal(): void {
    this.log?.add('heal', '');
    this.loop.healed = true;
    for (const heal of this.healers) heal();
    SimulatedNetwork.of(this.scheduler).heal();
  }

  /**
   * Runs until `condition` holds, which is looked at now and after every event.
   * @param name for the error
   * @param within how long to wait for it, in nanoseconds
   * @throws {LivenessError} when it has not come true in time; and as {@link Sim.run} does
   */
  eventually(name: string, condition: () => boolean, within: number): void {
    checkString('sim.eventually', 'the name', name);
    checkFunction('sim.eventually', 'the condition', condition);
    checkTime('sim.eventually', 'the time to wait', within);
    if (this.runner.untilTrue(condition, this.loop.now + within)) return;
    throw new LivenessError(name, within, !this.loop.pending, this.point);
  }

  /**
   * {@link Sim.eventually} for an async function: waits until `condition` holds, which is looked at
   * now and after every event.
   * @param within how long to wait for it, in nanoseconds
   * @throws {LivenessError} (rejects) when it has not come true in time; what the condition throws
   */
  until(name: string, condition: () => boolean, within: number): Promise<void> {
    checkString('sim.until', 'the name', name);
    checkFunction('sim.until', 'the condition', condition);
    checkTime('sim.until', 'the time to wait', within);
    const late = (): Error => new LivenessError(name, within, false, this.point);
    const awaited = new AwaitedCondition(this.scheduler, condition, within, late, this.awaited);
    this.runner.checks = () => this.check();
    return awaited.promise;
  }

  // ---- hosts -----------------------------------------------------------------------------------

  /**
   * A host: a machine with a process of its own, which others reach by its name or address.
   *
   * The program is a file, evaluated as its main module with module instances of its own, or a
   * function. See docs/hosts.md.
   * @throws {TypeError | RangeError} when an argument is not what it must be, or the name is taken
   */
  host(name: string, program: Program, options: HostOptions = {}): SimulatedHost {
    return makeHost(this.scheduler, name, program, options);
  }

  /**
   * Cuts two hosts off from each other, until {@link Sim.heal}. What is under way is lost to time.
   */
  partition(a: string, b: string): void {
    checkString('sim.partition', 'the name of the first host', a);
    checkString('sim.partition', 'the name of the second host', b);
    SimulatedNetwork.of(this.scheduler).partition(a, b);
  }

  // ---- trace -----------------------------------------------------------------------------------

  /** Writes a line into the trace. */
  note(text: string): void {
    this.log?.add('note', text);
  }

  /** Everything that happened so far; empty unless the simulation was made with `trace: true`. */
  get trace(): readonly SimEvent[] {
    return this.log?.events ?? [];
  }

  /** @internal */
  onHeal(heal: () => void): void {
    this.healers.push(heal);
  }

  /** @internal Runs `main` as the body of a test. @throws what it throws, or a deadlock */
  runBody(main: () => unknown): void {
    (this.runner as Run).untilSettled(() => spawn('body', main));
  }

  private budgetError(trial: SimTrial | undefined): Error {
    const { steps, now } = this.loop;
    return trial === undefined ? new StepBudgetError(this.point) : new LivelockError(steps, now);
  }

  private get point(): Point {
    return { seed: this.seed, step: this.loop.steps, at: this.loop.now };
  }

  private checkNotPast(call: string, time: number): void {
    const { now } = this.loop;
    if (time >= now) return;
    throw new RangeError(`${call}: the time ${time} ns is past, it is ${now} ns already.`);
  }
}
