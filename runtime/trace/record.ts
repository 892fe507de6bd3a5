/**
 * Records a run as a trace.
 *
 * The scheduler tells of steps, the event loop of choices, the engine of promises that settle (see
 * causes.ts). A run that is recorded takes the same way as one that is not: nothing here subscribes
 * to a promise or touches a value.
 */

import { HOLD, type Decision, type Site, type Subject } from '../kernel/choice.js';
import type { Recorder } from '../kernel/choices.js';
import { RUNGS } from '../kernel/rung.js';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler, StepRecorder } from '../tasks/scheduler.js';
import { allSites, SourceSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';
import { Causes } from './causes.js';
import {
  KIND_NAMES,
  TRACE_MINOR,
  TRACE_VERSION,
  type Trace,
  type TraceDecision,
  type TraceEvent,
  type TraceFrame,
  type TraceSite,
  type TraceStep,
  type TraceTask,
} from './format.js';
import { shorten } from './values.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** What is known of a frame while it lives. */
class FrameState {
  operand: unknown = undefined;

  /**
   * @param step its latest
   * @param outer the step of the code that called it, until control has gone back there
   */
  constructor(
    readonly recorder: TraceRecorder,
    readonly index: number,
    public step: Writable<TraceStep>,
    public outer: number | undefined,
  ) {}
}

/** Collects the events of one run. Attach it with {@link TraceRecorder.attach}. */
export class TraceRecorder implements Recorder, StepRecorder {
  readonly decisions: Decision[] = [];
  private readonly events: TraceEvent[] = [];
  /** Decisions that are made only when what is held is let go. */
  private readonly pending: [event: Writable<TraceDecision>, decision: Decision][] = [];
  private readonly sites = new Map<Site, number>();
  /** By position: a source of the simulated world may have several sites. */
  private readonly positions = new Map<string, number>();
  /** Sites and tasks are described when the trace is asked for: most runs are only looked at. */
  private readonly siteList: Site[] = [];
  private readonly tasks = new Map<Subject, number>();
  private readonly frameList: TraceFrame[] = [];
  /** In which step a task was asked for. */
  private readonly origins = new Map<Task, number>();
  private scheduler!: Scheduler;
  private causes!: Causes;

  /** @param watch told of every event, with its number, which counts from 1 */
  constructor(private readonly watch?: (step: number) => void) {}

  attach(scheduler: Scheduler): void {
    this.scheduler = scheduler;
    scheduler.recorder = this;
    scheduler.loop.recorder = this;
    this.causes = new Causes(() => scheduler.loop.now);
  }

  /** The run is over. */
  close(): void {
    this.scheduler?.loop.endHeld();
    for (const [event, { value }] of this.pending) event.pick = value;
    this.causes?.close();
  }

  // ---- what the run tells ----------------------------------------------------------------------

  choice(decision: Decision, at: number): void {
    this.decisions.push(decision);
    const event: Writable<TraceDecision> = {
      type: 'decision',
      at,
      kind: KIND_NAMES[decision.kind],
      rung: RUNGS[decision.rung],
      task: this.taskIndex(decision.task),
      site: this.siteIndex(decision.site),
      n: decision.occurrence,
      pick: decision.value,
    };
    this.add(event);
    if (decision.value === HOLD) this.pending.push([event, decision]);
  }

  created(task: Task): void {
    const { current } = this.causes;
    if (current !== undefined) this.origins.set(task, current);
  }

  entered(frame: Frame): void {
    const { causes } = this;
    const called = frame.task === frame.caller?.task;
    const step = this.step(called ? 'call' : 'start', frame, frame.site);
    const index = this.frameList.length;
    const caller = frame.caller && this.stateOf(frame.caller)?.index;
    const { site, task } = step;
    this.frameList.push(caller === undefined ? { site, task } : { site, task, caller });
    step.frame = index;
    const from = called ? causes.current : this.origins.get(frame.task);
    if (from !== undefined) step.from = from;
    if (causes.current !== undefined && causes.current !== from) step.by = causes.current;
    frame.recorded = new FrameState(this, index, step, causes.running);
    causes.running = this.events.length - 1;
  }

  suspended(frame: Frame, site: SourceSite, operand: unknown): void {
    const state = this.stateOf(frame);
    if (state === undefined) return;
    state.step.then = this.siteIndex(site);
    state.operand = operand;
    this.giveBack(state);
  }

  resumed(frame: Frame, site: SourceSite, value: unknown, given: boolean): void {
    const state = this.stateOf(frame);
    const step = this.step('resume', frame, site);
    if (state !== undefined) {
      step.frame = state.index;
      const settlement = this.causes.settlementOf(state.operand);
      if (settlement?.by !== undefined) step.by = settlement.by;
      if (settlement !== undefined && settlement.at !== step.at) step.settled = settlement.at;
      state.step = step;
      state.outer = state.operand = undefined;
    }
    if (given) step.value = shorten(value);
    else if (site.kind === 'await') step.threw = true;
    this.causes.running = this.events.length - 1;
  }

  exited(frame: Frame): void {
    const state = this.stateOf(frame);
    if (state === undefined) return;
    state.step.then = 'end';
    this.giveBack(state);
  }

  pause(): () => void {
    return this.causes.pause();
  }

  // ---- the trace -------------------------------------------------------------------------------

  /** The trace of the run, with what it was a run of. */
  trace(run: Pick<Trace, 'file' | 'test' | 'seed' | 'schedule' | 'outcome'>): Trace {
    return {
      format: 'detsim-trace',
      version: TRACE_VERSION,
      minor: TRACE_MINOR,
      ...run,
      sites: numbered(this.siteList.map(describe)),
      tasks: [...this.tasks.keys()].map(describeTask),
      frames: this.frameList,
      events: this.events,
    };
  }

  private stateOf({ recorded }: Frame): FrameState | undefined {
    return recorded instanceof FrameState && recorded.recorder === this ? recorded : undefined;
  }

  private giveBack(state: FrameState): void {
    this.causes.running = state.outer;
    state.outer = undefined;
  }

  private step(type: TraceStep['type'], frame: Frame, site: SourceSite): Writable<TraceStep> {
    // All fields at once: an object that grows later costs the engine much more.
    const step: Writable<TraceStep> = {
      type,
      at: this.scheduler.loop.now,
      task: this.taskIndex(frame.task),
      site: this.siteIndex(site),
      frame: undefined,
      from: undefined,
      by: undefined,
      settled: undefined,
      value: undefined,
      threw: undefined,
      then: undefined,
    };
    this.add(step);
    return step;
  }

  private add(event: TraceEvent): void {
    this.events.push(event);
    this.watch?.(this.events.length);
  }

  private siteIndex(site: Site): number {
    let index = this.sites.get(site);
    if (index === undefined) this.sites.set(site, (index = this.newSite(site)));
    return index;
  }

  private newSite(site: Site): number {
    const position = site.position();
    let index = this.positions.get(position);
    if (index === undefined) {
      this.positions.set(position, (index = this.siteList.length));
      this.siteList.push(site);
    }
    return index;
  }

  private taskIndex(task: Subject): number {
    let index = this.tasks.get(task);
    if (index === undefined) this.tasks.set(task, (index = this.tasks.size));
    return index;
  }
}

function describe(site: Site): TraceSite {
  const position = site.position();
  if (!(site instanceof SourceSite)) return { position, kind: 'world', fn: '', text: position };
  const { kind, fn, text } = site;
  return { position, kind, fn, text };
}

function describeTask(task: Subject): TraceTask {
  return { scope: task.scope.title, path: task.path() };
}

/** Every site of the files that are loaded, with what tells those apart that look alike. */
export function loadedSites(): TraceSite[] {
  const counts = new Map<string, number>();
  const sites = [...allSites()].sort((a, b) =>
    a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1,
  );
  return sites.map((site, i) => {
    const { file, kind, fn, text } = site;
    const next = sites[i + 1];
    const unnamed = kind === 'function' && fn === '<anonymous>' && next?.file === file;
    const holds = unnamed ? { holds: next.text } : {};
    const alike = [file, kind, fn, text, holds.holds].join('\n');
    const nth = (counts.get(alike) ?? 0) + 1;
    counts.set(alike, nth);
    const { reads, writes } = site.touched;
    return {
      ...{ position: site.position(), kind, fn, text, ...holds },
      ...(nth > 1 && { nth }),
      ...(reads.length > 0 && { reads }),
      ...(writes.length > 0 && { writes }),
    };
  });
}

/** The sites as {@link loadedSites} has them. */
function numbered(sites: readonly TraceSite[]): TraceSite[] {
  const known = new Map(loadedSites().map((site) => [site.position, site]));
  return sites.map((site) => known.get(site.position) ?? site);
}
