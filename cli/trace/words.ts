/**
 * The words in which the trace commands speak of events: one vocabulary for the timeline, the
 * differences, the page and the export.
 */

import {
  deviates,
  type Trace,
  type TraceDecision,
  type TraceEvent,
  type TraceStep,
} from '../../runtime/trace/format.js';
import { formatVirtual, shortSite, TaskNames } from '../../runtime/trace/names.js';
import { unknownSite } from '../../runtime/tasks/sites.js';
import { count } from '../report/words.js';
import type { Colors } from '../report/style.js';

const UNKNOWN = unknownSite.position();

/** Long source texts are cut. */
const TEXT_MAX = 48;

/** A task's colours in a terminal of 256, by its number. */
const PALETTE = [39, 203, 71, 214, 170, 75, 230, 135] as const;

export class TraceWords {
  private readonly names: TaskNames;

  constructor(
    readonly trace: Trace,
    readonly colors: Colors,
  ) {
    this.names = new TaskNames(trace);
  }

  task(index: number): string {
    return this.names.of(index);
  }

  /** In the colour of the task. */
  paint(index: number, text: string): string {
    if (!this.colors.isColorSupported) return text;
    return `\u001b[38;5;${PALETTE[index % PALETTE.length]}m${text}\u001b[39m`;
  }

  /** `file:line` of a site; nothing for code without yield points. */
  place(site: number): string {
    const { position } = this.trace.sites[site];
    return position === UNKNOWN ? '' : shortSite(position);
  }

  /** The source text of a site, short. */
  text(site: number): string {
    const { text } = this.trace.sites[site];
    return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1)}…`;
  }

  /** What happens: `goes on after sleep(4)`, `8 ms late at limit()`. */
  what(event: TraceEvent): string {
    return event.type === 'decision' ? this.decision(event) : this.step(event);
  }

  decision({ kind, pick, site, n }: TraceDecision): string {
    const text = this.text(site);
    const nth = n > 1 ? ` (time ${n})` : '';
    if (kind === 'random') return `draws ${pick} from ${text}${nth}`;
    if (pick === 0) return `${kind} as in plain Node: ${text}${nth}`;
    const delay = formatVirtual(pick);
    switch (kind) {
      case 'timer':
        return `the timer of ${text}${nth} will fire ${delay} later than asked`;
      case 'stall':
        return `the event loop is ${delay} late`;
      case 'create':
        return `the code before ${text}${nth} takes ${delay}`;
      case 'await':
        return `will go on ${delay} late after ${text}${nth}`;
      case 'io':
        return `the operation of ${text}${nth} takes ${delay} longer`;
      case 'latency':
        return `${delay} longer: ${text}${nth}`;
      case 'place':
        return `at ${pick} of the range: ${text}${nth}`;
      default:
        return `fault ${kind}: ${text}${nth}`;
    }
  }

  private step(step: TraceStep): string {
    const text = this.text(step.site);
    if (step.type === 'call') return `calls ${this.trace.sites[step.site].fn || text}`;
    if (step.type === 'start') return this.start(step);
    const value = step.value === undefined || step.value === 'undefined' ? '' : ` = ${step.value}`;
    return `goes on after ${text}${step.threw ? ', which rejected' : value}`;
  }

  private start(step: TraceStep): string {
    const started = this.names.started(step, (code) => code);
    if (started !== undefined) return started;
    const { fn, position } = this.trace.sites[step.site];
    if (position === UNKNOWN) return 'code without yield points runs';
    return `starts ${fn === '' || fn === '<anonymous>' ? this.text(step.site) : fn}`;
  }

  /** What a step ends with: `ends`, or `waits for store.get(key)`. */
  after({ then }: TraceStep): string {
    if (then === undefined) return 'was still running at the end of the trace';
    return then === 'end' ? 'ends' : this.reason(then);
  }

  /** Why a frame waits at a site. */
  reason(site: number): string {
    const { kind } = this.trace.sites[site];
    if (kind === 'yield') return `yields ${this.text(site)}`;
    return kind === 'return' ? `returns ${this.text(site)}` : `waits for ${this.text(site)}`;
  }

  /** Lines that say what this is a trace of. */
  header(): string[] {
    const { colors: c, trace } = this;
    const { outcome, seed, schedule, test, file, events } = trace;
    const failed = outcome.state === 'failed';
    const message = (outcome.message ?? '').split('\n', 1)[0].replace(/:$/, '');
    const state = failed ? `fails: ${message}` : outcome.state;
    const site = outcome.site === undefined ? '' : ` at ${outcome.site}`;
    const decisions = events.filter((event) => event.type === 'decision').length;
    const last = events.reduce((latest, { at }) => Math.max(latest, at), 0);
    const time = last === 0 ? 'no virtual time passes' : `0 → ${formatVirtual(last)}`;
    const deviations = count(events.filter(deviates).length, 'deviation');
    return [
      `${c.bold(test)} ${c.dim(file)}`,
      failed ? c.red(`${state}${site}`) : state,
      c.dim(
        `${schedule === undefined ? `seed ${seed}` : 'minimized'} · ${count(decisions, 'decision')}, ` +
          `${deviations} · ${count(trace.tasks.length, 'task')} · ${time}`,
      ),
    ];
  }
}
