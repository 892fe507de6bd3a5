/**
 * `detsim replay --trace --relocate`: replays a trace of code that has been edited since.
 *
 * The project's sites are looked up, those of the trace are found again by what stands there, and
 * the deviations of the trace are replayed at their new places.
 */

import { formatSchedule, type Schedule } from '../../runtime/explore/schedule.js';
import { align } from '../../runtime/trace/align.js';
import { deviates, isStep, KIND_NAMES, type Trace } from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';
import { relocate, type Relocated } from '../../runtime/trace/relocate.js';
import type { Kind } from '../../runtime/kernel/choice.js';
import { RUNGS, type Rung } from '../../runtime/kernel/rung.js';
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

function scheduleOf({ events, tasks, sites, test }: Trace): Schedule {
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
  return { rung, deviations };
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
