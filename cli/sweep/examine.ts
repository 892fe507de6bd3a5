/**
 * Looks closely at one group of failures: records the chosen seed, minimizes it, and proves it by
 * replaying both in processes that have done nothing before.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rungOfOrigin, type Origin } from '../../runtime/explore/origin.js';
import { RUNGS, type RungName } from '../../runtime/kernel/rung.js';
import { firstDifference } from '../../runtime/trace/difference.js';
import { TRACE_MINOR } from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';
import type { Divergence, Minimized } from '../report/model.js';
import type { Coordinator } from './coordinator.js';
import type { Group } from './groups.js';
import type { Investigation, Replay } from './investigation.js';
import type { InvestigateJob, ReplayJob } from './protocol.js';
import type { Outcome } from './lane.js';

/** What is known of a group after a close look. */
export interface Examined {
  /** The trial that was looked at, where it is not that of the group. */
  readonly chosen?: Origin;
  readonly rung: RungName;
  /** Whether the test fails with the seed when it is run alone. */
  readonly alone: boolean;
  readonly decisions: number;
  /** Paths are absolute here. */
  readonly trace: string | undefined;
  readonly minimized: Minimized | undefined;
  readonly replay: { readonly identical: boolean; readonly divergence?: Divergence } | undefined;
  readonly note: string | undefined;
}

export function investigateJob(group: Group, minimize: boolean): InvestigateJob {
  const { file, failure, chosen } = group;
  return {
    kind: 'investigate',
    file: file.file,
    // Minimizing is many runs in one process.
    isolate: file.isolate === 'process' ? 'all' : file.isolate,
    of: chosen,
    title: failure.title,
    signature: failure.signature,
    minimize,
  };
}

/** A group that is not looked at closely. */
export function unexamined(group: Group, note: string): Examined {
  return {
    rung: RUNGS[rungOfOrigin(group.chosen)],
    alone: false,
    decisions: 0,
    trace: undefined,
    minimized: undefined,
    replay: undefined,
    note,
  };
}

/**
 * Verifies what an investigation found. Where a replay goes another way, an earlier run in the
 * same process may be the cause: a failure has left something in a package, and others fail because
 * of it. So the first seed that failed gets a second look, as the only run of a process.
 * @param folder where the traces of this finding go
 */
export async function examineTwice(
  group: Group,
  outcome: Outcome<Investigation>,
  coordinator: Coordinator,
  folder: string,
): Promise<Examined> {
  const first = await examine(group, outcome, coordinator, folder);
  const [seed] = group.seeds;
  if (first.replay?.identical !== false || seed === undefined) return first;
  const again: Group = { ...group, chosen: { seed } };
  const fresh = await coordinator.runFresh(investigateJob(again, false));
  const second = await examine(again, fresh, coordinator, folder);
  if (second.replay?.identical !== true) return first;
  const note = 'Not minimized: what a failing run leaves in a package makes others fail.';
  return { ...second, chosen: again.chosen, note };
}

/**
 * Verifies what an investigation found, and writes its traces.
 * @param folder where the traces of this finding go
 */
async function examine(
  group: Group,
  outcome: Outcome<Investigation>,
  coordinator: Coordinator,
  folder: string,
): Promise<Examined> {
  if (outcome.status !== 'done') {
    return unexamined(
      group,
      'The process that minimized it was lost, so it is as the sweep saw it.',
    );
  }
  const { recorded, alone, minimized } = outcome.result;
  if (recorded === undefined) {
    return diverged(group, {
      step: 0,
      site: '',
      expected: 'the failure that the sweep saw',
      got: 'another outcome when the seed was run again',
    });
  }
  const replays = await Promise.all([
    replayFresh(coordinator, group, group.chosen, alone),
    minimized && replayFresh(coordinator, group, { schedule: minimized.schedule }, alone),
  ]);
  const difference =
    differenceOf(recorded.trace, replays[0]) ??
    (minimized && differenceOf(minimized.trace, replays[1]!));
  const trace = write(folder, 'detsim_failure_trace.json', recorded.trace);
  return {
    rung: minimized?.rung ?? RUNGS[rungOfOrigin(group.chosen)],
    alone,
    decisions: recorded.decisions,
    trace,
    minimized: minimized && {
      schedule: minimized.schedule,
      deviations: minimized.deviations,
      decisions: minimized.decisions,
      sentences: minimized.sentences,
      needs: minimized.needs,
      unconfirmable: minimized.unconfirmable,
      trace: write(folder, 'detsim_minimized_trace.json', minimized.trace),
      flip: minimized.flip && {
        ...minimized.flip,
        passingTrace: write(folder, 'detsim_passing_trace.json', minimized.flip.passingTrace),
      },
    },
    replay:
      difference === undefined ? { identical: true } : { identical: false, divergence: difference },
    note: undefined,
  };
}

function diverged(group: Group, divergence: Divergence): Examined {
  return { ...unexamined(group, ''), note: undefined, replay: { identical: false, divergence } };
}

function replayFresh(
  coordinator: Coordinator,
  group: Group,
  of: ReplayJob['of'],
  alone: boolean,
): Promise<Outcome<Replay>> {
  const { file, failure } = group;
  return coordinator.runFresh({
    kind: 'replay',
    file: file.file,
    isolate: file.isolate,
    // A process that runs one trial cannot measure the profile first.
    ...(file.isolate === 'process' ? { profile: file.warmUp!.profile } : {}),
    of,
    title: failure.title,
    alone,
  });
}

/** Where a replay left the trace that was recorded, byte for byte. */
export function differenceOf(expected: string, replay: Outcome<Replay>): Divergence | undefined {
  if (replay.status !== 'done') {
    const got = replay.status === 'failed' ? replay.error.message : 'the process was lost';
    return { step: 0, site: '', expected: 'a replay', got };
  }
  const got = replay.result.trace;
  if (got === expected) return undefined;
  const [before, after] = [parseTrace(expected, 'the trace'), parseTrace(got, 'the replay')];
  const difference = firstDifference(before, after);
  if (difference === undefined) {
    // An older minor version says less of the same events.
    if ((before.minor ?? 0) < TRACE_MINOR) return undefined;
    return { step: 0, site: '', expected: 'the same bytes', got: 'a trace of the same events' };
  }
  const event = before.events[difference.step] ?? after.events[difference.step];
  const site =
    event === undefined ? '' : siteOf(before.events[difference.step] ? before : after, event.site);
  return { ...difference, step: difference.step + 1, site };
}

function siteOf(trace: ReturnType<typeof parseTrace>, index: number): string {
  return trace.sites[index].position;
}

function write(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}
