/**
 * `detsim replay --inspect`: at which step the debugger stops.
 *
 * The replay has run once before, so all steps of the run are known: a place that is never reached
 * is an error at once, and not after somebody has attached a debugger in vain.
 */

import path from 'node:path';
import { isStep, type Trace } from '../../runtime/trace/format.js';
import { UserError } from '../errors.js';
import { count } from '../report/words.js';
import type { ReplayJob } from '../sweep/protocol.js';
import type { Break, LineBreak } from '../values.js';
import { LOADING } from '../worker/collector.js';

export interface InspectFlags {
  /** Run it once more, under a debugger. */
  readonly inspect?: boolean;
  /** Where it stops; at the first step of the test without it. */
  readonly break?: Break;
  /** Where the debugger is served; 0 is any that is free. */
  readonly inspectPort?: number;
}

/** The port of Node's own `--inspect`. */
const PORT = 9229;

/** @throws UserError for options that say nothing without `--inspect` */
export function checkInspectFlags(flags: InspectFlags): void {
  if (flags.inspect) return;
  const given = { '--break': flags.break, '--inspect-port': flags.inspectPort };
  const option = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (option === undefined) return;
  throw new UserError(
    `${option} needs --inspect, which runs the replay under the debugger. Add it.`,
  );
}

/**
 * What a worker has to know to stop there.
 * @param root of the project
 * @throws UserError when the run has no such step
 */
export function inspectionOf(
  flags: InspectFlags,
  trace: Trace,
  root: string,
): NonNullable<ReplayJob['inspect']> {
  const port = flags.inspectPort ?? PORT;
  const { break: at } = flags;
  if (at === undefined) return { port, step: firstStep(trace) };
  if ('step' in at) return { port, step: stepNumbered(at.step, trace) };
  return { port, step: stepAtLine(at, trace, root) };
}

function firstStep({ test, tasks, events }: Trace): number {
  const isOfTest = (scope: string): boolean => (test === '' ? scope !== LOADING : scope === test);
  const found = events.findIndex((event) => isStep(event) && isOfTest(tasks[event.task].scope));
  if (found !== -1) return found + 1;
  throw new UserError(
    `${test === '' ? 'The run' : `The test "${test}"`} has no step: it awaits nothing and starts no ` +
      'async function. Run it in a debugger without detsim.',
  );
}

function stepNumbered(step: number, { events }: Trace): number {
  if (step <= events.length) return step;
  throw new UserError(
    `--break=${step} is never reached: the run has ${count(events.length, 'step')}. ` +
      'Give a number as `detsim trace view` prints it behind #.',
  );
}

function stepAtLine({ file, line, n }: LineBreak, trace: Trace, root: string): number {
  const names = new Set([root, process.cwd()].map((from) => relativeTo(root, from, file)));
  const steps = trace.events.flatMap((event, index) => {
    if (!isStep(event)) return [];
    const [, name, at] = /^(.*):(\d+):\d+$/.exec(trace.sites[event.site].position) ?? [];
    return names.has(name) ? [{ number: index + 1, line: Number(at) }] : [];
  });
  const here = steps.filter((step) => step.line === line);
  if (here.length >= n) return here[n - 1].number;
  const place = `${file}:${line}`;
  if (here.length > 0) {
    const times = here.length === 1 ? 'once' : `${here.length} times`;
    throw new UserError(
      `--break=${place}#${n} is never reached: a step of the run is at ${place} ${times}. ` +
        `Give a number up to ${here.length} behind #.`,
    );
  }
  const lines = [...new Set(steps.map((step) => step.line))].sort((a, b) => a - b);
  throw new UserError(
    `--break=${place} is never reached: no step of the run is there. ` +
      (lines.length === 0
        ? `None is in ${file}; \`detsim trace view\` prints where they are.`
        : `Those in ${file} are at ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}.`),
  );
}

function relativeTo(root: string, from: string, file: string): string {
  return path.relative(root, path.resolve(from, file)).split(path.sep).join('/');
}
