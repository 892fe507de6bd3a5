/**
 * What happens to a cluster from outside while it works: cut links, slow links, crashes, and
 * changes of its members, at random times.
 */

import { millisecond, Sim, type Random } from 'detsim';
import type { Cluster } from './cluster.js';

/** How often each happens, in relation to the others; 0 is never. */
export interface Turmoil {
  /** The nodes are cut in two groups, until the next healing. */
  readonly partition: number;
  /** One node is cut off; in one direction only, or in both. */
  readonly isolate: number;
  readonly heal: number;
  /** What one node sends to another waits for a while. */
  readonly clog: number;
  /** A node crashes; it is started again after a while. */
  readonly crash: number;
  /** A member is added, or removed. */
  readonly members: number;
  /** Nothing happens. */
  readonly rest: number;
}

type Action = keyof Turmoil;

/** When nothing else is said, it takes so long at most until the next thing happens. */
const PAUSE_MAX = 300 * millisecond;

const PAUSE_MIN = 5 * millisecond;
const CLOG_MAX = 400 * millisecond;
/** Clusters stay between these sizes. */
const MEMBERS_MIN = 2;
const MEMBERS_MAX = 6;

export const quiet: Turmoil = {
  partition: 0,
  isolate: 0,
  heal: 0,
  clog: 0,
  crash: 0,
  members: 0,
  rest: 0,
};

/** A crash now and then. */
export const crashesOnly: Turmoil = { ...quiet, crash: 1, rest: 6 };

/** A bit of everything that can happen to a cluster whose members stay the same. */
export const everything: Turmoil = {
  partition: 2,
  isolate: 2,
  heal: 3,
  clog: 1,
  crash: 2,
  members: 0,
  rest: 0,
};

/** Draws which kinds happen under a seed, and how often: swarm testing, as for faults. */
export function drawTurmoil(seed: number): Turmoil {
  const random = new Sim({ seed }).random('turmoil profile');
  const weight = (): number => (random.chance(0.5) ? random.integer(1, 4) : 0);
  return {
    partition: weight(),
    isolate: weight(),
    heal: random.integer(1, 4),
    clog: weight(),
    crash: weight(),
    members: 0,
    rest: 0,
  };
}

export class Troublemaker {
  private readonly random: Random;
  private readonly actions: Action[];
  private stopped = false;

  /** @param pauseMax the longest time between two happenings, in virtual nanoseconds */
  constructor(
    private readonly cluster: Cluster,
    turmoil: Turmoil,
    private readonly pauseMax = PAUSE_MAX,
  ) {
    this.random = cluster.sim.random('turmoil');
    this.actions = (Object.keys(turmoil) as Action[]).flatMap((action) =>
      new Array<Action>(turmoil[action]).fill(action),
    );
    if (this.actions.length > 0) this.pause();
  }

  stop(): void {
    this.stopped = true;
  }

  private pause(): void {
    this.cluster.sim.after(this.random.integer(PAUSE_MIN, this.pauseMax), () => {
      if (this.stopped) return;
      this.act(this.random.pick(this.actions));
      this.pause();
    });
  }

  private act(action: Action): void {
    const { cluster, random } = this;
    const { network } = cluster;
    switch (action) {
      case 'partition': {
        const ids = random.shuffle([...cluster.ids]);
        const cut = random.integer(1, ids.length - 1);
        return network.partition(ids.slice(0, cut), ids.slice(cut));
      }
      case 'isolate':
        return network.isolate(this.victim(), { direction: random.pick(['in', 'out', 'both']) });
      case 'rest':
        return;
      case 'heal':
        return network.healAll();
      case 'clog': {
        const from = this.victim();
        const to = random.pick(cluster.ids.filter((id) => id !== from));
        return network.clog(from, to, random.integer(1, CLOG_MAX));
      }
      case 'crash': {
        const id = this.victim();
        if (cluster.node(id) !== undefined) cluster.crash(id);
        return;
      }
      case 'members':
        return this.changeMembers();
    }
  }

  /** Any node; every other time a leader, since that is where it hurts. */
  private victim(): string {
    const leaders = this.cluster.leaders();
    if (leaders.length > 0 && this.random.chance(0.5)) return this.random.pick(leaders).id;
    return this.random.pick(this.cluster.ids);
  }

  private changeMembers(): void {
    const { cluster, random } = this;
    const leaders = cluster.leaders();
    if (leaders.length === 0) return;
    const leader = random.pick(leaders);
    const { members } = leader;
    const grow =
      members.length <= MEMBERS_MIN || (members.length < MEMBERS_MAX && random.chance(0.5));
    cluster.call(leader, () => {
      if (!grow) return void leader.removeServer(random.pick(members));
      const outside = cluster.ids.filter((id) => !members.includes(id));
      if (outside.length < 2) outside.push(cluster.startNewcomer());
      leader.addServer(random.pick(outside));
    });
  }
}
