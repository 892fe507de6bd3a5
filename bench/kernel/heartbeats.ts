/**
 * Five nodes that send heartbeats to each other and put a timer off at each: what events and
 * messages cost by themselves, in the proportions of an idle Raft cluster.
 */

import { millisecond, Network, second, Sim, type SimTimer } from '../../index.js';
import type { Scenario, Work } from './scenario.js';

const IDS = ['a', 'b', 'c', 'd', 'e'];
const PERIOD = 50 * millisecond;

interface Heartbeat {
  readonly type: 'heartbeat';
  readonly term: number;
}

export const heartbeats: Scenario = {
  name: '800 deliveries, each putting a timer off',
  runs: 1000,
  run: (seed) => runHeartbeats(seed, 2 * second),
};

/** Each node sends to the others every 50 ms. */
export function runHeartbeats(seed: number, duration: number): Work {
  const sim = new Sim({ seed, maxSteps: Infinity });
  const network = new Network<Heartbeat>(sim, {
    drop: 0.1,
    reorder: 1,
    delay: { min: millisecond, max: 10 * millisecond },
  });
  for (const id of IDS) addNode(sim, network, id);
  sim.runFor(duration);
  const { delivered } = network.stats;
  return { hash: sim.loop.digest, deliveries: delivered, simulated: sim.now };
}

function addNode(sim: Sim, network: Network<Heartbeat>, id: string): void {
  let timeout: SimTimer | undefined;
  let term = 0;
  const expire = (): void => void term++;
  network.register(id, () => {
    timeout?.cancel();
    timeout = sim.after(200 * millisecond, expire);
  });
  const beat = (): void => {
    network.broadcast(id, { type: 'heartbeat', term });
    sim.after(PERIOD, beat);
  };
  sim.immediately(beat);
}
