/** Clusters for tests, which begin with a leader. */

import { millisecond, second, Sim, type NetworkFaults } from 'detsim';
import { Cluster } from '../cluster.js';
import { RaftInvariants } from '../invariants.js';
import type { RaftNode } from '../node.js';

export interface Setup {
  readonly sim: Sim;
  readonly cluster: Cluster;
  readonly leader: RaftNode;
}

/** A cluster on disks that do not fail, after two seconds. */
export function startCluster(nodes: number, seed: number, network: NetworkFaults = {}): Setup {
  const sim = new Sim({ seed, trace: true });
  const cluster = new Cluster(sim, { nodes, network: { reorder: 1, ...network }, storage: {} });
  new RaftInvariants(sim, cluster);
  sim.runUntil(2 * second);
  return { sim, cluster, leader: cluster.leader()! };
}

/** Writes, one after the other, and waits until the leader has committed them all. */
export function write({ sim, leader }: Setup, count: number): void {
  for (let i = 0; i < count; i++) {
    leader.submit({ key: `key${i}`, value: `value${i}` });
    sim.runFor(20 * millisecond);
  }
  sim.eventually('all is committed', () => leader.commitIndex === leader.log.lastIndex, second);
}

export function others({ cluster, leader }: Setup): string[] {
  return cluster.ids.filter((id) => id !== leader.id);
}
