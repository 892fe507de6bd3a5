/** The scenarios as `detsim sim --mode=raft|read|membership` runs them: one line a seed. */

import type { FaultKinds, Mode, ModeOptions, ModeResult } from 'detsim';
import { cutInTwo, membersComeAndGo, readsAtTwoLeaders } from './scenarios.js';
import { verdictOf, type Trial, type TrialOptions } from './trial.js';
import { drawTurmoil } from './turmoil.js';

/** How often the power fails at a sync, and what it does to the sectors being written. */
const POWER_LOSS = 0.002;
const TORN_WRITE = 0.3;

/**
 * What a swarm may draw: of the faults of a disk those that Raft is made for. A disk that loses or
 * changes what it has synced breaks the promises that were made by then.
 */
export const faultKinds: FaultKinds = {
  network: ['drop', 'duplicate', 'reorder', 'delay'],
  storage: ['tornWrite', 'readError'],
};

const raft: Mode = {
  name: 'raft',
  description: 'a cluster with clients, crashes and a network cut in two',
  defaults: { nodes: 5, drop: 0.1 },
  faults: faultKinds,
  run: (seed, options) =>
    report(seed, () => {
      const trial = cutInTwo(seed, trialOptions(seed, options, 0));
      return `${state(trial)}, ${trial.cluster.crashes} crashes`;
    }),
};

const read: Mode = {
  name: 'read',
  description: 'reads at a leader that was cut off, and at the one that replaced it',
  defaults: { nodes: 5, drop: 0 },
  faults: faultKinds,
  run: (seed, options) =>
    report(seed, () => {
      const { trial, reads } = readsAtTwoLeaders(seed, trialOptions(seed, options, 0));
      return `${state(trial)}, ${reads.refused} reads refused, ${reads.open} never answered`;
    }),
};

const membership: Mode = {
  name: 'membership',
  description: 'a follower and the leader are removed, and a newcomer is added',
  defaults: { nodes: 5, drop: 0.05 },
  faults: faultKinds,
  run: (seed, options) =>
    report(seed, () => {
      const trial = membersComeAndGo(seed, trialOptions(seed, options, 2));
      return `${state(trial)}, members ${trial.cluster.leader()!.members.join(' ')}`;
    }),
};

export const modes: readonly Mode[] = [raft, read, membership];

/** With drawn faults the turmoil is drawn, too. */
function trialOptions(
  seed: number,
  { nodes, drop, faults }: ModeOptions,
  members: number,
): TrialOptions {
  if (faults === undefined) {
    const network = { drop, reorder: 1 };
    return { nodes, network, storage: { tornWrite: TORN_WRITE }, powerLoss: POWER_LOSS };
  }
  return {
    nodes,
    network: faults.network,
    storage: faults.storage,
    powerLoss: POWER_LOSS,
    turmoil: { ...drawTurmoil(seed), members },
  };
}

function state({ cluster, invariants }: Trial): string {
  const leader = cluster.leader()!;
  return `${leader.id} leads in term ${leader.term}, ${invariants.commits} entries committed`;
}

function report(seed: number, scenario: () => string): ModeResult {
  let found = '';
  const verdict = verdictOf(() => {
    found = scenario();
  });
  if (verdict.ok) return { line: `seed=${seed} ok: ${found}`, violation: false };
  return { line: `seed=${seed} VIOLATION of ${verdict.text}`, violation: true };
}
