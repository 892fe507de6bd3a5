/**
 * `detsim replay --trace --relocate`: replays a trace of code that has been edited since.
 *
 * The project's sites are looked up, those of the trace are found again by what stands there, and
 * the deviations of the trace are replayed at their new places.
 */

import { planOf } from '../../runtime/explore/origin.js';
import { NO_PROFILE } from '../../runtime/explore/profile.js';
import {
  formatSchedule,
  type NamedDeviation,
  type Schedule,
} from '../../runtime/explore/schedule.js';
import { align } from '../../runtime/trace/align.js';
import { deviates, isStep, KIND_NAMES, type Trace } from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';
import { relocate, type Relocated } from '../../runtime/trace/relocate.js';
import { Kind } from '../../runtime/kernel/choice.js';
import { NODE, RUNGS, type Rung } from '../../runtime/kernel/rung.js';
import type { TraceSite } from '../../runtime/trace/format.js';
import { count } from '../report/words.js';

export interface Relocation extends Relocated {
  /** The deviations of the trace at their new places, as text. */
  readonly schedule: string;
}

const KINDS = new Map(Object.entries(KIND_NAMES).map(([kind, name]) => [name, Number(kind)]));

export function relocateTrace(trace: Trace, sites: readonly TraceSite[]): Relocation {
  const relocated = relocate(trace, sites);
  return { ...relocated, schedule: formatSchedule(scheduleOf(relocated.trace)) };
}

function scheduleOf(trace: Trace): Schedule {
  const { events, tasks, sites, test } = trace;
  let rung: Rung = 0;
  const deviations = events.filter(deviates).map((event) => {
    rung = Math.max(rung, RUNGS.indexOf(event.rung)) as Rung;
    const { scope, path } = tasks[event.task];
    return {
      kind: KINDS.get(event.kind) as Kind,
      scope: scope === test ? '' : scope,
      site: sites[event.site].position,
      task: path,
      occurrence: event.n,
      value: event.pick,
    };
  });
  const bytes = bytesOf(trace);
  return bytes === undefined
    ? { rung, deviations }
    : { rung: Math.max(rung, NODE) as Rung, deviations: [...deviations, bytes] };
}

/** Cryptographic bytes are no decision of a trace: their seed comes with what it is a trace of. */
function bytesOf({ seed, schedule, test }: Trace): NamedDeviation | undefined {
  const origin = schedule === undefined ? { seed: Number(seed) } : { schedule };
  const value = planOf(origin, new Map([[test, NO_PROFILE]]), test)(test).strategy.bytesSeed;
  if (value === 0) return undefined;
  return { kind: Kind.Bytes, scope: '', site: '', task: '', occurrence: 1, value };
}

/** One paragraph: how far the code has drifted from the trace. */
export function describeDrift({ trace, moved, lost }: Relocation, replayed: string): string {
  const now = parseTrace(replayed, 'the replay');
  const { toSecond, inOrder } = align(trace, now);
  const steps = trace.events.flatMap((event, index) => (isStep(event) ? [index] : []));
  const same = steps.filter((index) => toSecond[index] >= 0 && inOrder[index]).length;
  const gone = lost.map(({ position, text }) => `${position} (${text})`);
  return (
    `Drift: ${moved} of ${count(trace.sites.length, 'place')} of the trace are elsewhere now, ` +
    `${gone.length === 0 ? 'none is gone' : `gone are ${gone.slice(0, 5).join(', ')}`}; ` +
    `${same} of ${count(steps.length, 'step')} go as in the trace.`
  );
}
