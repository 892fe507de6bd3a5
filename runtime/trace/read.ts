/**
 * Reads a trace file: checks its version, and then every field against a schema, so that whatever
 * works with a trace need not ask whether it is one.
 */

import * as v from 'valibot';
import { RUNGS } from '../kernel/rung.js';
import { TRACE_MINOR, TRACE_VERSION, type Trace } from './format.js';

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.number(), v.minValue(0));

const decision = v.object({
  type: v.literal('decision'),
  at: time,
  kind: v.string(),
  rung: v.picklist(RUNGS),
  task: index,
  site: index,
  n: index,
  pick: v.number(),
});

const step = v.object({
  type: v.picklist(['start', 'call', 'resume']),
  at: time,
  task: index,
  site: index,
  frame: v.optional(index),
  from: v.optional(index),
  by: v.optional(index),
  settled: v.optional(time),
  value: v.optional(v.string()),
  threw: v.optional(v.literal(true)),
  then: v.optional(v.union([v.literal('end'), index])),
});

/** The schema of a trace. Fields that it does not name are left out of what is read. */
export const traceSchema = v.object({
  format: v.literal('detsim-trace'),
  version: v.literal(TRACE_VERSION),
  minor: v.optional(index),
  file: v.string(),
  test: v.string(),
  seed: v.pipe(v.string(), v.regex(/^\d+$/, 'it must be decimal digits')),
  schedule: v.optional(v.string()),
  outcome: v.object({
    state: v.string(),
    kind: v.optional(v.string()),
    message: v.optional(v.string()),
    site: v.optional(v.string()),
  }),
  sites: v.array(
    v.object({
      position: v.string(),
      kind: v.string(),
      fn: v.string(),
      text: v.string(),
      holds: v.optional(v.string()),
      nth: v.optional(index),
      reads: v.optional(v.array(v.string())),
      writes: v.optional(v.array(v.string())),
    }),
  ),
  tasks: v.array(v.object({ scope: v.string(), path: v.string() })),
  frames: v.optional(v.array(v.object({ site: index, task: index, caller: v.optional(index) }))),
  events: v.array(v.variant('type', [decision, step])),
});

/**
 * Reads the text of a trace file.
 * @throws {SyntaxError} when it is not a trace, or one of a version that this detsim does not read
 */
export function parseTrace(text: string, name: string): Trace {
  let found: Partial<Trace> | null;
  try {
    found = JSON.parse(text) as Partial<Trace> | null;
  } catch (error) {
    throw new SyntaxError(`${name} is not a trace: ${(error as Error).message}.`);
  }
  if (found?.format !== 'detsim-trace') {
    throw new SyntaxError(
      `${name} is not a trace of detsim. Give the path of a detsim_failure_trace.json or ` +
        'detsim_minimized_trace.json that a sweep has written.',
    );
  }
  const { version, minor = 0 } = found;
  if (version !== TRACE_VERSION || !(minor <= TRACE_MINOR)) {
    throw new SyntaxError(
      `${name} is a trace of format version ${String(version)}.${minor}, and this detsim reads ` +
        `version ${TRACE_VERSION}.0 to ${TRACE_VERSION}.${TRACE_MINOR}. ` +
        'Use the detsim that wrote it, or sweep again.',
    );
  }
  const result = v.safeParse(traceSchema, found, { abortEarly: true });
  if (!result.success) throw damaged(name, result.issues[0]);
  const trace = result.output as Trace;
  checkIndices(trace, name);
  return trace;
}

function damaged(name: string, issue: { path?: unknown; message: string }): SyntaxError {
  const path = v.getDotPath(issue as v.BaseIssue<unknown>);
  return new SyntaxError(
    `${name} is damaged: ${path === null ? '' : `"${path}": `}${issue.message}. Sweep again, or ` +
      'take the file from where it was written.',
  );
}

/** Every reference must lead somewhere. */
function checkIndices({ sites, tasks, frames = [], events }: Trace, name: string): void {
  const bad = (where: string): SyntaxError => damaged(name, { message: `${where} leads nowhere` });
  frames.forEach(({ site, task, caller = 0 }, i) => {
    if (site >= sites.length || task >= tasks.length || caller >= frames.length) {
      throw bad(`frames.${i}`);
    }
  });
  events.forEach((event, i) => {
    if (event.site >= sites.length || event.task >= tasks.length) throw bad(`events.${i}`);
    if (event.type === 'decision') return;
    const { frame = -1, from = -1, by = -1, then = -1 } = event;
    if (frame >= frames.length || from >= i || by >= i) throw bad(`events.${i}`);
    if (then !== 'end' && then >= sites.length) throw bad(`events.${i}.then`);
  });
}
