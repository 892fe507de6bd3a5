/**
 * Says in sentences what a minimized schedule does: which step is late, and what came before it.
 */

import { Kind } from '../kernel/choice.js';
import { unknownSite } from '../tasks/sites.js';
import { KIND_NAMES, type Trace, type TraceDecision, type TraceStep } from '../trace/format.js';
import {
  formatVirtual,
  isPartAt,
  isUnmarked,
  shortSite,
  TaskNames,
  withoutParts,
  withoutUnknown,
} from '../trace/names.js';
import { FAULTS } from './fault-words.js';
import { formatDelay, isOfSource, type NamedDeviation } from './schedule.js';

/** How many other tasks a sentence names. */
const MAX_NAMED = 3;

const UNKNOWN = unknownSite.position();

/**
 * One sentence for each deviation.
 * @param trace of the run under this schedule
 */
export function explain(trace: Trace, deviations: readonly NamedDeviation[]): string[] {
  const names = new TaskNames(trace);
  return deviations.map((deviation) => explainOne(trace, names, deviation));
}

function explainOne(trace: Trace, names: TaskNames, deviation: NamedDeviation): string {
  if (deviation.kind === Kind.Bytes) {
    return `Cryptographic random bytes are drawn with seed ${deviation.value}.`;
  }
  if (isOfSource(deviation)) return explainFault(trace, names, deviation);
  const where = placeOf(deviation.site);
  const site = shortSite(deviation.site);
  const at = findDecision(trace, deviation);
  const decision = trace.events[at] as TraceDecision | undefined;
  const text = decision === undefined ? '' : trace.sites[decision.site].text;
  const task = nameOf(names, deviation.task);
  const code = text === '' ? '' : ` (\`${text}\`)`;
  const delay = formatDelay(deviation.value).replace(/(m?s)$/, ' $1');
  switch (deviation.kind) {
    case Kind.Random:
      return `${task} draws ${deviation.value} ${where}${code}.`;
    case Kind.Create:
      return `The code before ${site}${code} takes ${delay}, so that the timer starts later.`;
    case Kind.Stall:
      return `The event loop is ${delay} late when the timer of ${site}${code} is next.`;
    case Kind.Io:
      return (
        `The operation that ${operation(trace, names, deviation, decision)} takes ${delay} ` +
        `longer${meanwhile(trace, names, at)}.`
      );
    case Kind.Timer:
      return (
        `The timer that ${task} sets ${where}${code} fires ${delay} later than asked` +
        `${meanwhile(trace, names, at)}.`
      );
    default:
      return `${task} goes on ${delay} late ${where}${code}${meanwhile(trace, names, at)}.`;
  }
}

/** Who begins an operation, and where. */
function operation(
  trace: Trace,
  names: TaskNames,
  { task: path, site }: NamedDeviation,
  decision: TraceDecision | undefined,
): string {
  const at = decision === undefined ? undefined : trace.sites[decision.site];
  const code = at === undefined || at.text === '' ? '' : ` (\`${at.text}\`)`;
  const isPart = isUnmarked(path) || (at?.kind === 'call' && isPartAt(path, at));
  const beginner = nameOf(names, isPart ? withoutParts(path) : path);
  if (at === undefined || at.kind === 'call' || site === UNKNOWN) {
    return `${beginner} begins ${placeOf(site)}${code}`;
  }
  return `${beginner} begins after ${shortSite(site)}${code}, in code without yield points,`;
}

/** What went wrong, when, and what the program had just done. */
function explainFault(trace: Trace, names: TaskNames, deviation: NamedDeviation): string {
  const { kind, site, value } = deviation;
  const source = `\`${site}\``;
  const words = FAULTS.get(kind);
  if (words === undefined) return `The stream of random numbers ${source} draws ${value}.`;
  const shown = words.value === 'delay' ? formatVirtual(value) : String(value);
  const at = findDecision(trace, deviation);
  const decision = trace.events[at] as TraceDecision | undefined;
  const text = words.happens(source, shown);
  if (decision === undefined) return `${text}.`;
  const step = trace.events.slice(0, at).findLast((event) => event.type !== 'decision');
  const before = step === undefined ? '' : `, after ${describeStep(trace, names, step)}`;
  const when = decision.at === 0 ? '' : ` (${formatVirtual(decision.at)} after the start)`;
  return `${text}${when}${before}.`;
}

/** The index of the decision that a deviation is, or -1. */
export function findDecision(trace: Trace, deviation: NamedDeviation): number {
  return trace.events.findIndex((e) => e.type === 'decision' && matches(trace, e, deviation));
}

function matches(trace: Trace, event: TraceDecision, deviation: NamedDeviation): boolean {
  const task = trace.tasks[event.task];
  return (
    event.kind === KIND_NAMES[deviation.kind] &&
    event.n === deviation.occurrence &&
    event.pick !== 0 &&
    trace.sites[event.site].position === deviation.site &&
    task.path === deviation.task &&
    task.scope === (deviation.scope === '' ? trace.test : deviation.scope)
  );
}

/** The last step of each other task in the time that the deviation adds. */
function meanwhile(trace: Trace, names: TaskNames, at: number): string {
  const decision = trace.events[at] as TraceDecision | undefined;
  if (decision === undefined) return '';
  const end = findWakeup(trace, at);
  const until = end === -1 ? trace.events.length : end;
  const from = end === -1 ? decision.at : trace.events[end].at - decision.pick;
  const own = end === -1 ? decision.task : trace.events[end].task;
  const others: string[] = [];
  const named = new Set([own, decision.task]);
  for (let i = until - 1; i > at && others.length < MAX_NAMED; i--) {
    const event = trace.events[i];
    if (event.type === 'decision' || event.type === 'call' || named.has(event.task)) continue;
    if (event.at < from) break;
    named.add(event.task);
    const described = describeStep(trace, names, event);
    if (!others.includes(described)) others.unshift(described);
  }
  if (end === -1) {
    // Where such code goes on is not seen.
    if (trace.sites[decision.site].position === UNKNOWN) return '';
    return ', and is still waiting when the test ends';
  }
  return others.length === 0 ? '' : `; before that, ${others.join(', then ')}`;
}

/** The step with which a late task goes on, or with which a late callback starts; -1 if none. */
export function findWakeup(trace: Trace, at: number): number {
  const decision = trace.events[at] as TraceDecision;
  const path = trace.tasks[decision.task].path;
  for (let i = at + 1; i < trace.events.length; i++) {
    const event = trace.events[i];
    if (event.type === 'decision' || event.site !== decision.site) continue;
    const own = event.task === decision.task && event.type === 'resume';
    const below = event.type === 'start' && trace.tasks[event.task].path.startsWith(path);
    if ((own || below) && event.at >= decision.at + decision.pick) return i;
  }
  return -1;
}

function describeStep(trace: Trace, names: TaskNames, event: TraceStep): string {
  const site = trace.sites[event.site];
  const started = event.type === 'start' ? names.started(event, quoted) : undefined;
  if (started !== undefined) {
    const unmarked = isUnmarked(trace.tasks[event.task].path);
    return unmarked ? started : `${started} ${placeOf(site.position)}`;
  }
  const verb = event.type === 'resume' ? 'goes on' : 'starts';
  const task = nameOf(names, trace.tasks[event.task].path);
  return `${task} ${verb} ${placeOf(site.position)}`;
}

function placeOf(position: string): string {
  return position === UNKNOWN ? 'in code without yield points' : `at ${shortSite(position)}`;
}

function nameOf(names: TaskNames, path: string): string {
  return quoted(names.ofPath(withoutUnknown(path)));
}

/** As code, unless it is the test itself. */
function quoted(name: string): string {
  return name === 'the test' ? name : `\`${name}\``;
}
