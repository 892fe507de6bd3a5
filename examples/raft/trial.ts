/**
 * One simulation of a cluster with clients: first anything may go wrong (safety), then nothing
 * does any more, and the cluster must work (liveness).
 */

import { InvariantError, LivenessError, millisecond, second, Sim, StepBudgetError } from 'detsim';
import { Clients } from './clients.js';
import { Cluster, type ClusterOptions } from './cluster.js';
import { RaftInvariants } from './invariants.js';
import { quiet, Troublemaker, type Turmoil } from './turmoil.js';

export interface TrialOptions extends ClusterOptions {
  /** None by default, or what the scenario has. */
  readonly turmoil?: Turmoil;
  /** The longest time between two happenings of it, in virtual nanoseconds. */
  readonly pauseMax?: number;
}

/** A trial takes some thousands of steps; one that takes so many is going round in circles. */
const MAX_STEPS = 200_000;
/** How many clients there are. */
const CLIENTS = 3;
/** How long a healed cluster has until it must work, in virtual nanoseconds. */
const RECOVERY = 10 * second;
/** How long it then has to calm down, and how long it is watched. */
const CALMING = second;
const CALM = 2 * second;

export class Trial {
  readonly sim: Sim;
  readonly cluster: Cluster;
  readonly invariants: RaftInvariants;
  readonly clients: Clients;
  private readonly troublemaker: Troublemaker;

  constructor(seed: number, options: TrialOptions) {
    this.sim = new Sim({ seed, maxSteps: MAX_STEPS });
    this.cluster = new Cluster(this.sim, options);
    this.invariants = new RaftInvariants(this.sim, this.cluster);
    this.clients = new Clients(this.cluster, CLIENTS);
    this.troublemaker = new Troublemaker(this.cluster, options.turmoil ?? quiet, options.pauseMax);
  }

  /**
   * Ends the turmoil, heals everything, and sees that the cluster works again: a write reaches all
   * members, then the leader stays the leader, and what the clients saw is linearizable.
   */
  settle(): void {
    const { sim, cluster } = this;
    this.troublemaker.stop();
    this.clients.stop();
    sim.heal();
    // The term in which the last write was committed: each leader has one to do.
    let written = 0;
    const write = (): void => {
      const leader = cluster.leader();
      if (leader !== undefined && written !== leader.term) {
        const { term } = leader;
        this.clients.put('last', leader, 'x', (well) => (written = well ? term : written));
      }
      sim.after(100 * millisecond, write);
    };
    write();
    const even = (): boolean => written === cluster.leader()?.term && this.isEven();
    sim.eventually('a write reaches all members', even, RECOVERY);
    sim.runFor(CALMING);
    this.watchCalm();
    this.checkHistory();
  }

  /** Whether what the clients saw is linearizable. */
  checkHistory(): void {
    const checked = this.clients.check();
    if (!checked.ok) throw new HistoryError(checked.text);
  }

  /** Whether all members have applied the same. */
  private isEven(): boolean {
    const leader = this.cluster.leader();
    return (
      leader !== undefined &&
      leader.members.every((id) => this.cluster.node(id)?.lastApplied === leader.lastApplied)
    );
  }

  /** A leader that all hear stays the leader, and nobody else is. */
  private watchCalm(): void {
    const { sim, cluster } = this;
    const term = cluster.leader()?.term;
    sim.runFor(CALM);
    const leader = cluster.leader();
    if (leader === undefined || leader.term !== term) {
      throw new CalmError('the leader was replaced, though nothing was wrong with it');
    }
    if (!leader.isMember(leader.id)) {
      throw new CalmError(`${leader.id} is the leader, and not a member any more`);
    }
  }
}

/** The clients saw what no single map would show. */
export class HistoryError extends Error {}
/** A cluster that nothing happens to is restless. */
export class CalmError extends Error {}

/** What a trial found. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly text: string };

/** Runs a scenario, and tells of a violation. */
export function verdictOf(scenario: () => void): Verdict {
  try {
    scenario();
    return { ok: true };
  } catch (error) {
    const found =
      error instanceof InvariantError ||
      error instanceof LivenessError ||
      error instanceof StepBudgetError ||
      error instanceof HistoryError ||
      error instanceof CalmError;
    if (!found) throw error;
    return { ok: false, text: error.message };
  }
}
