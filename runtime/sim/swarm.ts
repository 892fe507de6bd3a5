/**
 * Swarm testing for scenarios: the faults of networks and disks are drawn from the seed; see
 * explore/swarm.ts.
 */

import { drawDelay, drawRate, drawsFor, isOn } from '../explore/swarm.js';
import type { DelayRange } from '../kernel/spread.js';
import type { NetworkFaults } from '../network/faults.js';
import type { StorageProfile } from '../storage/profile.js';

const NETWORK = ['drop', 'duplicate', 'reorder', 'delay'] as const;
const STORAGE = [
  'tornWrite',
  'corruptByte',
  'skipSync',
  'reorder',
  'misdirectedWrite',
  'readError',
] as const;

/** Which faults a swarm may draw: those that the system is made to stand. */
export interface FaultKinds {
  readonly network: readonly (typeof NETWORK)[number][];
  readonly storage: readonly (typeof STORAGE)[number][];
}

/** The faults of one run. */
export interface FaultProfile {
  readonly network: NetworkFaults;
  readonly storage: StorageProfile;
  /** One line: `network: drop=0.12 delay=1..37ms(pareto), storage: tornWrite=0.3`. */
  toString(): string;
}

/** Rates are drawn by their order of magnitude, between these. */
const LEAST_RATE = 0.01;
const MOST_RATE = 0.5;

/** The longest delay of a run lies between these, in ms; the shortest is 1 ms. */
const LEAST_DELAY = 2;
const MOST_DELAY = 100;

/**
 * Draws the faults of a run from its seed. Seed 0 has none.
 * @param kinds those that may be drawn; every kind when it is left out
 */
export function swarm(
  seed: number,
  kinds: FaultKinds = { network: NETWORK, storage: STORAGE },
): FaultProfile {
  const network: Record<string, number | DelayRange> = {};
  const storage: Record<string, number> = {};
  for (const kind of kinds.network) {
    const draw = drawsFor(seed, `network.${kind}`);
    if (!isOn(seed, draw)) continue;
    network[kind] =
      kind === 'delay'
        ? drawDelay(draw, 1e6, LEAST_DELAY, MOST_DELAY)
        : drawRate(draw, LEAST_RATE, MOST_RATE);
  }
  for (const kind of kinds.storage) {
    const draw = drawsFor(seed, `storage.${kind}`);
    if (isOn(seed, draw)) storage[kind] = drawRate(draw, LEAST_RATE, MOST_RATE);
  }
  return { network, storage, toString: () => describe(network, storage) };
}

function describe(
  network: Readonly<Record<string, number | DelayRange>>,
  storage: Readonly<Record<string, number>>,
): string {
  const parts = [
    ['network', network],
    ['storage', storage],
  ] as const;
  const texts = parts.flatMap(([title, faults]) => {
    const list = Object.entries(faults).map(([name, value]) => `${name}=${shownFault(value)}`);
    return list.length === 0 ? [] : [`${title}: ${list.join(' ')}`];
  });
  return texts.length === 0 ? 'no faults' : texts.join(', ');
}

function shownFault(value: number | DelayRange): string {
  if (typeof value === 'number') return String(value);
  return `${value.min / 1e6}..${value.max / 1e6}ms(${value.distribution})`;
}
