/**
 * The scenarios: a network that is cut in two, a leader that does not know that it was replaced,
 * and members that come and go. Each ends with a cluster that must work again.
 */

import { millisecond, second } from 'detsim';
import type { RaftNode } from './node.js';
import { Trial, type TrialOptions } from './trial.js';
import { crashesOnly, everything } from './turmoil.js';

/** Six seconds of turmoil. */
export function turmoil(seed: number, options: TrialOptions): Trial {
  const trial = new Trial(seed, { turmoil: everything, ...options });
  trial.sim.runUntil(6 * second);
  trial.settle();
  return trial;
}

/** Three seconds together, three cut in two, two together again. */
export function cutInTwo(seed: number, options: TrialOptions): Trial {
  const trial = new Trial(seed, { turmoil: crashesOnly, ...options });
  const { sim, cluster } = trial;
  sim.runUntil(3 * second);
  const cut = Math.floor(cluster.ids.length / 2);
  cluster.network.partition(cluster.ids.slice(0, cut), cluster.ids.slice(cut));
  sim.runUntil(6 * second);
  cluster.network.healAll();
  sim.runUntil(8 * second);
  trial.settle();
  return trial;
}

/** What became of the reads that a leader got which had been cut off. */
export interface StaleReads {
  answered: number;
  refused: number;
  open: number;
}

/**
 * The leader is cut off, the others elect another and write; both are asked to read all the while,
 * and the new one at the very moment that it is elected. Then all are together again.
 */
export function readsAtTwoLeaders(
  seed: number,
  options: TrialOptions,
): { trial: Trial; reads: StaleReads } {
  const trial = new Trial(seed, options);
  const { sim, cluster, clients } = trial;
  const reads: StaleReads = { answered: 0, refused: 0, open: 0 };
  sim.runUntil(2 * second);
  const old = cluster.leader();
  if (old !== undefined) cluster.network.isolate(old.id);
  const readAt = (node: RaftNode): void => {
    reads.open++;
    clients.get(`reader of ${node.id}`, node, 'x', (well) => {
      reads.open--;
      if (well && node === old) reads.answered++;
      else if (!well) reads.refused++;
    });
  };
  // A new leader is asked as soon as it says that it is one.
  const elected = new Set<RaftNode>();
  for (let round = 0; round < 5; round++) {
    const other = cluster.leaders().find((node) => node !== old);
    if (other !== undefined) clients.put('writer', other, 'x', doNothing);
    if (old !== undefined) readAt(old);
    for (let tick = 0; tick < 60; tick++) {
      sim.runFor(5 * millisecond);
      for (const node of cluster.leaders()) {
        if (node === old || elected.has(node)) continue;
        elected.add(node);
        readAt(node);
      }
    }
  }
  sim.runFor(2 * second);
  trial.settle();
  return { trial, reads };
}

/**
 * A follower is removed, then the leader itself, then a newcomer is added, while clients write.
 */
export function membersComeAndGo(seed: number, options: TrialOptions): Trial {
  const trial = new Trial(seed, options);
  const { sim, cluster } = trial;
  const change = (propose: (leader: RaftNode) => void): void => {
    const leader = cluster.leader();
    if (leader !== undefined) cluster.call(leader, () => propose(leader));
    sim.runFor(1500 * millisecond);
  };
  sim.runUntil(1500 * millisecond);
  change((leader) => leader.removeServer(leader.members.filter((id) => id !== leader.id).at(-1)!));
  change((leader) => leader.removeServer(leader.id));
  const newcomer = cluster.startNewcomer();
  change((leader) => leader.addServer(newcomer));
  trial.settle();
  return trial;
}

function doNothing(): void {}
