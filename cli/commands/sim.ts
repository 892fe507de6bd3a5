/**
 * `detsim sim`: runs one of the examples under many seeds, one line for each.
 */

import { pristine } from '../../runtime/node/pristine.js';
import type { Mode, ModeOptions, ModeResult } from '../../runtime/sim/mode.js';
import { swarm } from '../../runtime/sim/swarm.js';
import { UserError } from '../errors.js';
import { loadMode, type ModeName } from '../modes.js';

export interface SimFlags {
  readonly mode: ModeName;
  readonly seed: number;
  /** How many seeds; with `--novelty` the most runs. */
  readonly trials?: number;
  readonly nodes?: number;
  readonly drop?: number;
  readonly torn?: number;
  readonly corrupt?: number;
  readonly checksums?: boolean;
  readonly swarm?: boolean;
  readonly novelty?: boolean;
}

const OPTIONS = ['nodes', 'drop', 'torn', 'corrupt', 'checksums'] as const;

/** The options that a mode was not given and does not have. */
const UNUSED: ModeOptions = { nodes: 0, drop: 0, torn: 0, corrupt: 0, checksums: false };

/** @returns the exit status */
export async function simCommand(flags: SimFlags): Promise<number> {
  const mode = loadMode(flags.mode);
  const options = optionsFor(mode, flags);
  const { trials = 1 } = flags;
  if (trials - 1 > Number.MAX_SAFE_INTEGER - flags.seed) {
    throw new UserError(
      `--seed=${flags.seed} and --trials=${trials} ask for seeds that there are not: the last one ` +
        `is ${Number.MAX_SAFE_INTEGER}.`,
    );
  }
  if (flags.novelty === true) return inMacrotask(() => exploreOrders(mode, flags));
  const violations = await inMacrotask(() => runSeeds(mode, flags, options));
  if (mode.summary !== undefined) console.log(mode.summary());
  if (violations.length === 0) return 0;
  console.error(summaryOf(violations, flags));
  return 1;
}

/** What the mode is run with; a swarm takes the place of the faults it is given by hand. */
function optionsFor(mode: Mode, flags: SimFlags): ModeOptions {
  const has = OPTIONS.filter((name) => mode.defaults[name] !== undefined);
  for (const name of OPTIONS) {
    if (flags[name] === undefined || has.includes(name)) continue;
    const list = has.length === 0 ? 'none of its own' : has.map((one) => `--${one}`).join(', ');
    throw new UserError(
      `--${name} means nothing to the mode ${mode.name}, whose options are: ${list}.`,
    );
  }
  if (flags.swarm === true && mode.faults === undefined) {
    throw new UserError(`--swarm means nothing to the mode ${mode.name}, which has no faults.`);
  }
  const given = Object.fromEntries(has.map((name) => [name, flags[name] ?? mode.defaults[name]]));
  return { ...UNUSED, ...given };
}

/** Runs orders of the scenario until new ones stop appearing, or `--trials` of them. */
function exploreOrders(mode: Mode, flags: SimFlags): number {
  if (mode.explore === undefined) {
    throw new UserError(
      `--novelty means nothing to the mode ${mode.name}: it explores the orders of tasks, for ` +
        'instance in the mode workerpool.',
    );
  }
  const report = mode.explore(flags.seed, flags.trials ?? NOVELTY_TRIALS);
  const { trials, shapes, outcomes, newLately, lately, seen, stopped, failures } = report;
  const counts = `${trials} runs, ${shapes} shapes, ${outcomes} outcomes`;
  const unseen =
    `new in the last ${lately} runs: ${newLately}; ` +
    `about ${Math.round(100 * seen)}% of what there is was seen`;
  console.log([counts, ...(trials > 1 ? [unseen] : []), ENDS[stopped]].join('; '));
  for (const { trial, outcome } of failures) console.log(`run ${trial}: ${outcome}`);
  return failures.length === 0 ? 0 : 1;
}

const NOVELTY_TRIALS = 10_000;

/** Why a search has ended. */
const ENDS = {
  'one schedule': 'there is one order only',
  dry: 'new shapes have stopped appearing',
  trials: 'stopped by --trials',
  caller: 'stopped',
} as const;

/** Returns the seeds with a violation. */
function runSeeds(mode: Mode, flags: SimFlags, options: ModeOptions): number[] {
  const violations: number[] = [];
  for (let seed = flags.seed; seed < flags.seed + (flags.trials ?? 1); seed++) {
    const faults = flags.swarm === true ? swarm(seed, mode.faults) : undefined;
    const { line, violation } = runSeed(mode, seed, { ...options, ...(faults && { faults }) });
    console.log(faults === undefined ? line : `${line} [${String(faults)}]`);
    if (violation) violations.push(seed);
  }
  return violations;
}

/** An error that ends a run is a violation: an invariant, a deadlock, a step budget. */
function runSeed(mode: Mode, seed: number, options: ModeOptions): ModeResult {
  try {
    return mode.run(seed, options);
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { line: `seed=${seed} ${text.replace(/\s*\n\s*/g, '; ')}`, violation: true };
  }
}

/** Promises of a scenario can be run to their end from a macrotask only. */
function inMacrotask<T>(run: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    pristine.setImmediate(() => {
      try {
        resolve(run());
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

function summaryOf(violations: readonly number[], flags: SimFlags): string {
  const given = OPTIONS.filter((name) => flags[name] !== undefined);
  const options = given.map((name) => ` --${name}=${String(flags[name])}`).join('');
  const swarmed = flags.swarm === true ? ' --swarm' : '';
  return (
    `${violations.length} of ${flags.trials ?? 1} seeds with a violation; the first again: ` +
    `detsim sim --mode=${flags.mode} --seed=${violations[0]}${options}${swarmed}`
  );
}
