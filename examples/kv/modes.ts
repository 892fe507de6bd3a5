/** What `detsim sim --mode=kv` runs. */

import type { FaultKinds, Mode } from 'detsim';
import { runScenario } from './scenario.js';

/** All that can go wrong with a disk. */
export const faults: FaultKinds = {
  network: [],
  storage: ['tornWrite', 'corruptByte', 'skipSync', 'reorder', 'misdirectedWrite', 'readError'],
};

const kv: Mode = {
  name: 'kv',
  description: 'a key-value store with a write-ahead log, over crashes of a faulty disk',
  defaults: { torn: 0.3, corrupt: 0.4, checksums: true },
  faults,
  run(seed, { torn, corrupt, checksums, faults: drawn }) {
    const profile = drawn?.storage ?? { tornWrite: torn, corruptByte: corrupt };
    const { problem, recovered, lost } = runScenario(seed, { profile, checksums });
    if (problem !== undefined) return { line: `seed=${seed} ${problem}`, violation: true };
    const ok = `seed=${seed} ok, checksums=${checksums}, ${recovered} keys recovered clean`;
    return {
      line: lost === 0 ? ok : `${ok}, synced puts lost by the disk: ${lost}`,
      violation: false,
    };
  },
};

export const modes: readonly Mode[] = [kv];
