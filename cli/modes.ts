/**
 * The scenarios that `detsim sim` runs, by name. Each comes from one of the examples, which are a
 * part of the package.
 */

import path from 'node:path';
import type { Mode } from '../runtime/sim/mode.js';

/** In which example each mode is. */
const EXAMPLES = {
  raft: 'raft',
  read: 'raft',
  membership: 'raft',
  kv: 'kv',
  workerpool: 'pool',
  lowdiversity: 'pool',
} as const;

export type ModeName = keyof typeof EXAMPLES;

export const MODES = Object.keys(EXAMPLES) as ModeName[];

/** Loads the example that a mode is in. */
export function loadMode(name: ModeName): Mode {
  const file = path.join(__dirname, '..', 'examples', EXAMPLES[name], 'modes.js');
  const { modes } = require(file) as { modes: readonly Mode[] };
  const mode = modes.find((one) => one.name === name);
  if (mode === undefined) throw new Error(`${file} has no mode "${name}"`);
  return mode;
}
