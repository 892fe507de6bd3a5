/**
 * Tasks and frames of one simulation, and the decision at every yield point.
 *
 * The choice is made in the hook, before anything is subscribed. The default hands the operand back
 * and leaves the order to the engine. Only a deviation parks: it subscribes to the operand once, as
 * `await` does, and on settlement queues the continuation as an event after the chosen delay.
 */

import { Kind, noDeviation, type Scope } from '../kernel/choice.js';
import { mix } from '../kernel/hash.js';
import { ANY, NATIVE, STUBS } from '../kernel/rung.js';
import type { EventLoop } from '../kernel/event-loop.js';
import type { ProgramLoader } from '../hosts/programs.js';
import { noFaults, type Faults } from '../node/faults.js';
import { pristine, promiseResolve } from '../node/pristine.js';
import { Frame } from './frame.js';
import { Park } from './park.js';
import { makeNote, noteOf, type PromiseNote } from './promise-notes.js';
import { Operations } from './primitives/operations.js';
import { siteAt, unknownSite, type SourceSite } from './sites.js';
import { Task } from './task.js';

/** A call that detsim cannot simulate, and where it stands. */
export interface UncontrolledCall {
  /** For instance `net.connect`. */
  readonly call: string;
  readonly site: SourceSite;
  /** Whether the program may wait for its completion. */
  readonly completesLater: boolean;
}

/** Told of every step, while a trace is recorded. */
export interface StepRecorder {
  /** A task will start here: by a call at once, by a timer or a reaction later. */
  created(task: Task): void;
  /** A frame begins. */
  entered(frame: Frame): void;
  /** A frame is going to wait for `operand` at a yield point. */
  suspended(frame: Frame, site: SourceSite, operand: unknown): void;
  /** It goes on. @param given whether `value` is what was awaited */
  resumed(frame: Frame, site: SourceSite, value: unknown, given: boolean): void;
  /** A frame ends. */
  exited(frame: Frame): void;
  /** Work begins that is no part of the run. @returns what is to be called when it has ended */
  pause?(): () => void;
}

/** The scope of what runs before the first one begins. */
const outside: Scope = { title: '', rung: NATIVE, strategy: noDeviation };

let runs = 0;

export class Scheduler {
  /** The frame whose code runs now. */
  current: Frame;
  /** The frame of the event that runs now: what code without a frame of its own belongs to. */
  base: Frame;
  /** The frame of the scope: what the test runner itself belongs to. */
  scope: Frame;
  /** The next instrumented call is the direct operand of an await, and stays in the task. */
  directCall = false;
  /** An instrumented stand-in has just returned its promise. */
  stubMark = false;
  /** The run is over: what still comes from it passes through untouched. */
  ended = false;
  /** A package is being loaded: what it makes now belongs to every later simulation as well. */
  loadingPackage = false;
  /** What is left to be done when the run is over. */
  readonly endings: (() => void)[] = [];
  /** No simulation: timers, clocks and the event loop are Node's own. */
  plainNode = false;
  /** Timers of code that is not instrumented stand in for I/O, as those of test files do. */
  unmarkedStandIn = false;
  recorder: StepRecorder | undefined;
  /** The faults of every host that has none of its own. */
  faults: Faults = noFaults;
  /** Only one task has run since the event that runs now began. */
  alone = false;
  /** The last promise that a task primitive gave: it has its delay from there. */
  handed: unknown = undefined;
  /** What the task primitives keep for this simulation. */
  readonly operations = new Operations();
  /** How a host evaluates a file as its program; undefined where nothing compiles files. */
  programs: ProgramLoader | undefined = undefined;
  /** Called after every event, in a run of a test runner. */
  afterEvent: (() => void) | undefined = undefined;
  /** Calls of what cannot be simulated, by call and site. */
  readonly uncontrolled = new Map<string, UncontrolledCall>();
  /** One of them would have completed later: what waits now may wait for it. */
  blockedOnUncontrolled = false;
  /** Where something else ran after a continuation could have, and before it did. */
  readonly overtaken = new Set<SourceSite>();
  /** Counts the runs of this process. */
  private readonly run = ++runs;
  /** Frames that have started and not ended. */
  readonly live = new Frame(this, unknownSite, Task.root(outside), undefined);

  /** Scopes of which nothing happens any more. */
  private readonly abandoned = new Set<Scope>();
  /** The number of the site that the call which is being made is marked with; 0 for none. */
  siteMark = 0;
  /** How many latencies stand-ins had so far, and of those how many before the current call. */
  private standInLatencies = 0;
  private standInLatenciesSeen = 0;
  /** Whether anything is known of any promise: if not, there is nothing to look up. */
  private hasNotes = false;
  /** A park whose delay is over, to be used again. */
  private sparePark: Park | undefined = undefined;

  constructor(readonly loop: EventLoop) {
    this.live.previous = this.live.next = this.live;
    this.current = this.base = this.scope = this.live;
  }

  // ---- tasks -----------------------------------------------------------------------------------

  /**
   * Starts a scope: a test or hook with choices of its own. What starts from now on descends from
   * its root task.
   */
  beginScope(scope: Scope): Task {
    if (scope.strategy.stepped !== undefined) this.loop.tellsSteps = true;
    const root = Task.root(scope);
    this.scope = this.base = this.current = new Frame(this, unknownSite, root, undefined);
    return root;
  }

  /** A new task that starts in `parent`, numbered among its siblings of the same label. */
  childTask(parent: Task, label: string, labelHash: number): Task {
    this.alone = false;
    const { holder } = parent;
    const ordinal = this.loop.ordinal(mix(holder.hash, labelHash) >>> 1);
    const task = holder.child(label, labelHash, ordinal);
    this.recorder?.created(task);
    return task;
  }

  /** An instrumented async function starts. */
  enter(site: SourceSite): Frame {
    const caller = this.current;
    let { task } = caller;
    if (this.directCall) this.directCall = false;
    else task = this.childTask(task, site.label, site.labelHash);
    const frame = new Frame(this, site, task, caller);
    frame.link(this.live);
    this.current = frame;
    this.loop.ordered(task, site, frame.effectsAt(site));
    this.recorder?.entered(frame);
    return frame;
  }

  /** Runs the callback of an event as the frame of a task: timers, messages, woken parks. */
  runEvent(task: Task, site: SourceSite, caller: Frame | undefined, run: () => void): void {
    if (this.isAbandoned(task)) return;
    const pause = this.pauseOf(task);
    if (pause > 0) {
      this.loop.after(pause, () => this.runEvent(task, site, caller, run));
      return;
    }
    const frame = new Frame(this, site, task, caller);
    this.loop.ordered(task, site, site.effects);
    this.resumeAlone(frame);
    this.recorder?.entered(frame);
    run();
    this.recorder?.exited(frame);
  }

  /** An event lets a frame go on. */
  resumeAlone(frame: Frame): void {
    this.base = this.current = frame;
    this.alone = true;
    this.clearMarks();
  }

  /** The run is over. */
  end(): void {
    this.ended = true;
    for (const ending of this.endings.splice(0)) ending();
  }

  /** Drops what is still to come of a scope: it would go round for ever. */
  abandon(scope: Scope): void {
    this.abandoned.add(scope);
  }

  /** Whether nothing of a task happens any more. */
  isAbandoned({ scope, host }: Task): boolean {
    if (host !== undefined && host.dead) return true;
    return this.abandoned.size > 0 && this.abandoned.has(scope);
  }

  /** For how many nanoseconds more the host of a task is paused; nothing of it runs meanwhile. */
  pauseOf({ host }: Task): number {
    return host === undefined ? 0 : host.pausedUntil - this.loop.now;
  }

  // ---- yield points ----------------------------------------------------------------------------

  /**
   * Decides how long the continuation of `operand` waits, and returns what to subscribe to: the
   * operand itself, or a promise that settles after it.
   */
  decide(operand: unknown, frame: Frame, site: SourceSite): unknown {
    if (operand === this.handed && operand !== undefined) return operand;
    const note = this.hasNotes && isObject(operand) ? noteOf(this, operand) : undefined;
    const standIn = this.stubMark || note?.standIn === true;
    this.stubMark = false;
    if (standIn) this.countStandInLatency();
    if (standIn && note !== undefined) note.standIn = false;
    // All awaits and reactions on one promise share its latency, and so stay in order.
    const shared = note?.later;
    const limit = shared === undefined ? Infinity : 0;
    const delay = this.loop.choose(Kind.Await, standIn ? STUBS : ANY, frame.task, site, limit);
    if (delay === 0) return shared ?? operand;
    return this.park(operand, delay, frame, site, note);
  }

  private park(
    operand: unknown,
    delay: number,
    frame: Frame,
    site: SourceSite,
    note: PromiseNote | undefined,
  ): Promise<unknown> {
    const park = this.sparePark ?? new Park(this);
    this.sparePark = undefined;
    const later = park.begin(frame, site, delay);
    if (isObject(operand)) {
      const promise = promiseResolve(operand);
      park.wait(promise);
      if (promise === operand || pristine.isPromise(operand)) {
        this.hasNotes = true;
        (note ?? makeNote(this, operand)).later = later;
      }
    } else {
      // What is neither object nor function has settled already.
      park.settled(operand);
    }
    return later;
  }

  /** Something else ran before a park went on. It is asked at every park: a set costs more. */
  noteOvertaken(site: SourceSite): void {
    if (site.notedIn === this.run) return;
    site.notedIn = this.run;
    this.overtaken.add(site);
  }

  /** Takes back a park that nobody needs any more. */
  reuse(park: Park): void {
    this.sparePark = park;
  }

  // ---- marks -----------------------------------------------------------------------------------

  /**
   * Declares that a promise stands in for I/O; the first await on it decides its latency. A
   * stand-in that has set a timer to begin with has its latency from that: one operation is late
   * once.
   */
  addStandIn(promise: object): void {
    const note = noteOf(this, promise) ?? makeNote(this, promise);
    this.hasNotes = true;
    if (promise === this.handed) this.handed = undefined;
    if (this.standInLatencies !== this.standInLatenciesSeen) {
      this.standInLatenciesSeen = this.standInLatencies;
      note.timed = true;
    }
    if (note.timed) return;
    note.standIn = true;
  }

  /** A stand-in sets a timer, or awaits another stand-in: its latency is that choice. */
  countStandInLatency(): void {
    this.standInLatencies++;
  }

  /** A number that changes with every latency of a stand-in. */
  get standInLatencyCount(): number {
    return this.standInLatencies;
  }

  /** The next call of a virtual builtin comes from this site. */
  markSite(site: number): void {
    this.siteMark = site;
  }

  /** As {@link Scheduler.takeSite}, and leaves the mark for whoever comes next. */
  seeSite(): SourceSite {
    return siteAt(this.siteMark);
  }

  /** The site of the call that is being made; the unknown site when nobody marked it. */
  takeSite(): SourceSite {
    const mark = this.siteMark;
    this.siteMark = 0;
    return siteAt(mark);
  }

  /**
   * Notes that the program called something that cannot be simulated.
   * @param completesLater whether the program may wait for its completion
   */
  recordUncontrolled(call: string, site: SourceSite, completesLater: boolean): void {
    this.uncontrolled.set(`${call} ${site.position()}`, { call, site, completesLater });
    if (completesLater) this.blockedOnUncontrolled = true;
  }

  /**
   * Before a call whose result is awaited or gets a reaction: from here on what a stand-in does is
   * that call's. Its site, marked by an argument, stays marked.
   */
  clearCallMarks(): void {
    this.directCall = false;
    this.stubMark = false;
    this.standInLatenciesSeen = this.standInLatencies;
  }

  clearMarks(): void {
    this.clearCallMarks();
    this.siteMark = 0;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The simulation that runs now in this process, if any. */
export const active: { scheduler: Scheduler | undefined } = { scheduler: undefined };
