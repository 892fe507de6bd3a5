/**
 * Swarm testing: which kinds of faults are on is drawn from the seed.
 *
 * Each kind is left out of half of the runs. A run in which nothing else goes wrong gets deeper
 * into what one fault does than a run in which everything goes wrong at once. After Groce, Zhang,
 * Eide, Chen and Regehr, "Swarm Testing" (ISSTA 2012).
 */

import { fraction, hashSeed, hashString, mix } from '../kernel/hash.js';
import type { DelayRange, Distribution } from '../kernel/spread.js';
import { FAULT_KINDS, type FaultKind } from '../node/fault-settings.js';
import { noFaults, type Faults } from '../node/faults.js';

export type Draw = (which: number) => number;

/** The draws for one kind depend on nothing but the seed and its name. */
export function drawsFor(seed: number, name: string): Draw {
  const hash = mix(mix(hashSeed(seed), 0x5a3a), hashString(name));
  return (which) => fraction(mix(hash, which));
}

/** Whether a kind is on. Seed 0 has no faults. */
export function isOn(seed: number, draw: Draw): boolean {
  return seed !== 0 && draw(1) < 0.5;
}

/** A rate, by its order of magnitude, with the two digits that are shown. */
export function drawRate(draw: Draw, least: number, most: number): number {
  return Number((least * (most / least) ** draw(2)).toPrecision(2));
}

const DISTRIBUTIONS: readonly Distribution[] = ['uniform', 'exponential', 'pareto'];

/**
 * A range of times up to one that is drawn, by its order of magnitude, between the bounds.
 * @param min the least time, in nanoseconds
 * @param least in milliseconds, as is `most`
 */
export function drawDelay(draw: Draw, min: number, least: number, most: number): DelayRange {
  const longest = Math.round(least * (most / least) ** draw(2));
  const distribution = DISTRIBUTIONS[Math.floor(draw(3) * DISTRIBUTIONS.length)];
  return { min, max: longest * 1e6, distribution };
}

/** Rates of operations: a program makes many of them. */
const LEAST_RATE = 0.002;
const MOST_RATE = 0.1;

/** The longest latency of a run lies between these, in ms. */
const LEAST_DELAY = 1;
const MOST_DELAY = 100;

/**
 * The faults of one run.
 *
 * In a swarm, of the kinds that are given each is on in half of the runs, as it is given; when none
 * is, of all that there are, with rates that are drawn, too.
 * @param seed of the trial and scope; undefined in a replay, where every fault must be possible
 */
export function faultsOfRun(seed: number | undefined, faults: Faults): Faults {
  if (faults === noFaults) return faults;
  const own = seed === undefined ? {} : { seed };
  return { ...(faults.swarm === true ? swarmFaults(seed, faults) : faults), ...own };
}

function swarmFaults(seed: number | undefined, faults: Faults): Faults {
  const parts = { sockets: {}, files: {}, hosts: {}, program: {} } as Record<
    'sockets' | 'files' | 'hosts' | 'program',
    Record<string, unknown>
  >;
  const given = FAULT_KINDS.filter(({ part, key }) => valueIn(faults, part, key) !== undefined);
  const kinds = given.length > 0 ? given : FAULT_KINDS;
  for (const { name, form, part, key } of kinds) {
    if (part === undefined) continue;
    const draw = drawsFor(seed ?? 1, `faults.${name}`);
    if (seed !== undefined && !isOn(seed, draw)) continue;
    const value = valueIn(faults, part, key);
    if (value !== undefined) parts[part][key] = value;
    else if (form === 'rate') parts[part][key] = drawRate(draw, LEAST_RATE, MOST_RATE);
    else if (form === 'switch') parts[part][key] = true;
    // What is drawn is all choice: a replay has no least time to know of.
    else if (form === 'range') parts[part][key] = drawDelay(draw, 0, LEAST_DELAY, MOST_DELAY);
  }
  const { failpoints } = faults.program ?? {};
  return { ...parts, program: { ...parts.program, ...(failpoints && { failpoints }) } };
}

function valueIn(faults: Faults, part: FaultKind['part'], key: string): unknown {
  if (part === undefined) return undefined;
  return (faults[part] as Readonly<Record<string, unknown>> | undefined)?.[key];
}
