/** The mutants of Raft: each mistake with the scenario that it is looked for in. */

import { millisecond, second, swarm as drawFaults } from 'detsim';
import { faultKinds } from '../raft/modes.js';
import { RaftNode } from '../raft/node.js';
import { readsAtTwoLeaders, turmoil } from '../raft/scenarios.js';
import { Trial, verdictOf, type TrialOptions } from '../raft/trial.js';
import { drawTurmoil, everything, quiet } from '../raft/turmoil.js';
import type { Mutant, Verdict } from './mutant.js';
import * as nodes from './raft-nodes.js';

/** How many changes of members there are, in relation to what else happens. */
const CHANGES = 12;
const POWER_LOSS = 0.005;
/** Logs are compacted often, so that there are many snapshots. */
const MAX_LOG = 12;

type Run = (Node: typeof RaftNode, seed: number, swarm: boolean) => Verdict;

/** A cluster under turmoil. */
const inTurmoil: Run = (Node, seed, swarm) =>
  verdictOf(() => turmoil(seed, { ...faults(seed, swarm, 0), Node }));

/** A cluster under turmoil whose members change. */
const inChange: Run = (Node, seed, swarm) =>
  verdictOf(() => turmoil(seed, { ...faults(seed, swarm, CHANGES), Node }));

/** Two leaders that are asked to read. */
const inReads: Run = (Node, seed, swarm) =>
  verdictOf(() => readsAtTwoLeaders(seed, { ...faults(seed, swarm, 0), turmoil: undefined, Node }));

/** Four nodes, the members of which change as soon as there is a leader, and little else happens. */
const inQuickChange: Run = (Node, seed, swarm) =>
  verdictOf(() => {
    const turmoil = { ...quiet, partition: 3, isolate: 3, heal: 3, members: 20 };
    const pauseMax = 40 * millisecond;
    shortly(seed, { ...faults(seed, swarm, 0), nodes: 4, turmoil, pauseMax, Node });
  });

/** Messages take nearly as long as elections do: such a cluster may get nowhere. */
const slow = { reorder: 1, delay: { min: millisecond, max: 150 * millisecond } };
/** Messages come in any order, and many twice. */
const late = { reorder: 1, duplicate: 0.3, delay: { min: millisecond, max: 70 * millisecond } };

/** Elections that overlap, and nodes that crash in the midst of them. */
const inElections: Run = (Node, seed, swarm) =>
  verdictOf(() => {
    const { network, ...others } = faults(seed, swarm, 0);
    const restless = { turmoil: { ...quiet, crash: 1 }, downMax: 20 * millisecond };
    shortly(seed, { ...others, ...restless, network: { ...network, ...slow }, Node });
  });

/** A network on which much comes late, twice, and in another order. */
const inDisorder: Run = (Node, seed, swarm) =>
  verdictOf(() => {
    const { network, ...others } = faults(seed, swarm, 0);
    shortly(seed, { ...others, network: { ...network, ...late }, Node });
  });

/** Turmoil, and no peace after it. */
function shortly(seed: number, options: TrialOptions): void {
  const trial = new Trial(seed, options);
  trial.sim.runUntil(4 * second);
  trial.checkHistory();
}

function faults(seed: number, swarm: boolean, members: number): TrialOptions {
  if (swarm) {
    const { network, storage } = drawFaults(seed, faultKinds);
    return {
      nodes: 3 + 2 * (seed % 2),
      network,
      storage,
      powerLoss: POWER_LOSS,
      maxLog: MAX_LOG,
      turmoil: { ...drawTurmoil(seed), members },
    };
  }
  return {
    nodes: 5,
    network: {
      drop: 0.1,
      duplicate: 0.05,
      reorder: 0.5,
      delay: { min: millisecond, max: 50 * millisecond, distribution: 'pareto' },
    },
    storage: { tornWrite: 0.3, readError: 0.01 },
    powerLoss: POWER_LOSS,
    maxLog: MAX_LOG,
    turmoil: { ...everything, members },
  };
}

function mutant(name: string, mistake: string, Node: typeof RaftNode, run: Run): Mutant {
  return { system: 'raft', name, mistake, run: (seed, swarm) => run(Node, seed, swarm) };
}

/** What is correct, under everything that mutants are under. */
export const raftCorrect: readonly Mutant[] = [
  mutant('correct', 'nothing is wrong', RaftNode, inTurmoil),
  mutant('correct-changing', 'nothing is wrong', RaftNode, inChange),
  mutant('correct-elections', 'nothing is wrong', RaftNode, inElections),
  mutant('correct-disorder', 'nothing is wrong', RaftNode, inDisorder),
  mutant('correct-quick-change', 'nothing is wrong', RaftNode, inQuickChange),
  mutant('correct-reads', 'nothing is wrong', RaftNode, inReads),
  mutant('without-no-op', 'slower, and correct', nodes.WithoutNoOp, inTurmoil),
  mutant(
    'without-pre-vote',
    'correct as long as nobody is removed',
    nodes.WithoutPreVote,
    inTurmoil,
  ),
];

export const raftMutants: readonly Mutant[] = [
  mutant(
    'match-is-last-index',
    'a follower reports all of its log as matching',
    nodes.MatchIsLastIndex,
    inTurmoil,
  ),
  mutant(
    'reads-before-own-commit',
    'reads are served before a commit in the own term',
    nodes.ReadsBeforeOwnCommit,
    inTurmoil,
  ),
  mutant(
    'reads-without-round',
    'reads are served without asking for a majority',
    nodes.ReadsWithoutRound,
    inReads,
  ),
  mutant(
    'votes-twice',
    'following a leader clears the vote of the term',
    nodes.VotesTwice,
    inElections,
  ),
  mutant('vote-in-memory', 'the vote is not saved', nodes.VoteInMemory, inElections),
  mutant(
    'promises-before-sync',
    'votes and entries are acknowledged before the sync',
    nodes.PromisesBeforeSync,
    inTurmoil,
  ),
  mutant(
    'counts-unsynced-entries',
    'a leader counts entries that it has not synced',
    nodes.CountsUnsyncedEntries,
    inTurmoil,
  ),
  mutant(
    'commits-older-terms',
    'entries of older terms are committed by counting',
    nodes.CommitsOlderTerms,
    inTurmoil,
  ),
  mutant(
    'votes-for-old-logs',
    'votes go to candidates with older logs',
    nodes.VotesForOldLogs,
    inTurmoil,
  ),
  mutant(
    'votes-for-longer-logs',
    'logs are compared by length, not by term first',
    nodes.VotesForLongerLogs,
    inTurmoil,
  ),
  mutant(
    'cuts-off-what-agrees',
    'a late request cuts off entries that agree',
    nodes.CutsOffAtEveryRequest,
    inTurmoil,
  ),
  mutant(
    'snapshot-without-state',
    'a snapshot has no state',
    nodes.SnapshotWithoutState,
    inTurmoil,
  ),
  mutant(
    'snapshot-without-members',
    'a snapshot has no members',
    nodes.SnapshotWithoutMembers,
    inChange,
  ),
  mutant(
    'old-snapshot-counts-as-new',
    'the answer to an old snapshot counts for a new one',
    nodes.OldSnapshotCountsAsNew,
    inTurmoil,
  ),
  mutant(
    'installs-old-snapshots',
    'an old snapshot is installed over newer state',
    nodes.InstallsOldSnapshots,
    inDisorder,
  ),
  mutant(
    'keeps-lost-members',
    'a change of members outlives its entry',
    nodes.KeepsLostMembers,
    inChange,
  ),
  mutant(
    'changes-members-at-once',
    'members change while a change is under way',
    nodes.ChangesMembersAtOnce,
    inQuickChange,
  ),
  mutant(
    'removed-leader-stays',
    'a leader that was removed stays',
    nodes.RemovedLeaderStays,
    inChange,
  ),
  mutant(
    'removed-node-disturbs',
    'a node that was removed stands for election',
    nodes.WithoutPreVote,
    inChange,
  ),
];
