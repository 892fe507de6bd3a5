/**
 * Raft, in the scenarios of the original's benchmarks, without disks and invariants; and each once
 * more as it is meant to be used, with everything persistent and checked after every event.
 *
 * The original rolls for a loss twice, when a message is sent and when it arrives: its drop rate of
 * 0.1 is a rate of 0.19 here.
 */

import { millisecond, second, Sim } from '../../index.js';
import { Cluster } from '../../examples/raft/cluster.js';
import { RaftInvariants } from '../../examples/raft/invariants.js';
import type { Scenario, Work } from './scenario.js';

const NODES = 5;
const DELAY = { min: millisecond, max: 10 * millisecond };

type Script = (sim: Sim, cluster: Cluster, look?: (cluster: Cluster) => void) => void;

/**
 * Three seconds together, three cut in two, two together again. Nothing is written.
 * @param look called at the end of each part
 */
const election: Script = (sim, cluster, look = () => {}) => {
  const { network, ids } = cluster;
  sim.runFor(3 * second);
  look(cluster);
  network.partition(ids.slice(0, 2), ids.slice(2));
  sim.runFor(3 * second);
  look(cluster);
  network.healAll();
  sim.runFor(2 * second);
  look(cluster);
};

/** A hundred commands at once. */
const commit: Script = (sim, cluster) => {
  sim.runFor(2 * second);
  const leader = cluster.leader()!;
  for (let i = 0; i < 100; i++) leader.submit({ key: `key${i % 10}`, value: `value${i}` });
  sim.runFor(2 * second);
  if (leader.commitIndex < 100) throw new Error(`only ${leader.commitIndex} entries are committed`);
};

/** Seventy commands, one every 20 ms: more than a log holds until it is compacted. */
const snapshot: Script = (sim, cluster) => {
  sim.runFor(2 * second);
  const leader = cluster.leader()!;
  for (let i = 0; i < 70; i++) {
    leader.submit({ key: `key${i % 10}`, value: `value${i}` });
    sim.runFor(20 * millisecond);
  }
  if (leader.log.baseIndex < 50) throw new Error('the log was not compacted');
};

/** @param complete whether there are disks, and the properties of Raft are checked after each event */
function run(seed: number, script: Script, drop: number, complete: boolean): Work {
  const sim = new Sim({ seed });
  const network = { drop, reorder: 1, delay: DELAY };
  const cluster = new Cluster(sim, { nodes: NODES, network, storage: complete ? {} : undefined });
  if (complete) new RaftInvariants(sim, cluster);
  script(sim, cluster);
  const { delivered } = cluster.network.stats;
  return { hash: sim.loop.digest, deliveries: delivered, simulated: sim.now };
}

function rows(name: string, script: Script, drop: number, original: number, limit: number) {
  const scenario = (complete: boolean) => ({
    runs: 200,
    run: (seed: number) => run(seed, script, drop, complete),
  });
  return [
    { name: `raft: ${name}`, original, limit, ...scenario(false) },
    { name: `raft: ${name}, disks and invariants`, ...scenario(true) },
  ];
}

export const raftScenarios: readonly Scenario[] = [
  ...rows('election, partition, heal', election, 0.19, 1_030_000, 500_000),
  ...rows('commit of 100 entries', commit, 0, 737_000, 400_000),
  ...rows('snapshot cycle', snapshot, 0, 684_000, 400_000),
];

/**
 * One seed of the sweep: the first scenario, looked at after each of its parts. Returns how many
 * messages arrived.
 * @throws when two nodes lead in one term
 */
export function electionSeed(seed: number): number {
  const look = (cluster: Cluster): void => {
    const terms = cluster.leaders().map(({ term }) => term);
    if (new Set(terms).size < terms.length) throw new Error(`seed ${seed}: a term has two leaders`);
  };
  return run(seed, (sim, cluster) => election(sim, cluster, look), 0.19, false).deliveries!;
}
