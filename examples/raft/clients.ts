/**
 * Clients that read and write a few keys of the replicated map, and record what they saw. What got
 * no answer in time is left pending: it may take effect later, or never.
 */

import {
  checkLinearizable,
  History,
  mapModel,
  millisecond,
  type Linearizability,
  type MapInput,
  type Random,
  type Sim,
} from 'detsim';
import type { Cluster } from './cluster.js';
import type { RaftNode } from './node.js';

const KEYS = ['x', 'y'];
const PAUSE_MIN = 5 * millisecond;
const PAUSE_MAX = 60 * millisecond;
const TIMEOUT = 400 * millisecond;

export class Clients {
  readonly history: History<MapInput<string>, unknown>;
  private readonly sim: Sim;
  private readonly random: Random;
  private values = 0;
  private stopped = false;

  constructor(
    private readonly cluster: Cluster,
    count: number,
  ) {
    this.sim = cluster.sim;
    this.history = new History(cluster.sim);
    this.random = cluster.sim.random('clients');
    for (let i = 0; i < count; i++) this.pause(`client${i}`);
  }

  /** No client begins anything from here on. */
  stop(): void {
    this.stopped = true;
  }

  check(): Linearizability<MapInput<string>, unknown> {
    return checkLinearizable(this.history, mapModel<string>());
  }

  /** Writes a new value by way of a node; `done` is told whether that went well. */
  put(client: string, node: RaftNode, key: string, done: (well: boolean) => void): void {
    const value = `v${++this.values}`;
    const invocation = this.history.invoke(client, { op: 'put', key, value });
    let accepted = false;
    this.cluster.call(node, () => {
      accepted = node.submit({ key, value }, (committed) => {
        if (committed) invocation.complete(undefined);
        else invocation.discard();
        done(committed);
      });
    });
    if (accepted) return;
    invocation.discard();
    done(false);
  }

  /** Reads by way of a node; `done` is told whether there was an answer. */
  get(client: string, node: RaftNode, key: string, done: (well: boolean) => void): void {
    const invocation = this.history.invoke(client, { op: 'get', key });
    this.cluster.call(node, () => {
      node.read(key, (result) => {
        if (result === 'refused') invocation.discard();
        else invocation.complete(result.value);
        done(result !== 'refused');
      });
    });
  }

  private pause(client: string): void {
    this.sim.after(this.random.integer(PAUSE_MIN, PAUSE_MAX), () => this.act(client));
  }

  private act(client: string): void {
    if (this.stopped) return;
    const leaders = this.cluster.leaders();
    if (leaders.length === 0) return this.pause(client);
    const node = this.random.pick(leaders);
    const key = this.random.pick(KEYS);
    let waiting = true;
    const next = (): void => {
      if (!waiting) return;
      waiting = false;
      timeout.cancel();
      this.pause(client);
    };
    const timeout = this.sim.after(TIMEOUT, next);
    if (this.random.chance(0.5)) this.put(client, node, key, next);
    else this.get(client, node, key, next);
  }
}
