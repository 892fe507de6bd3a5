/**
 * The key-value example as the original measures its own: 20 puts, one sync, one recovery into a
 * new store, on a disk with the same rates of faults.
 */

import { FaultyStorage, Sim } from '../../index.js';
import { KvStore } from '../../examples/kv/store.js';
import { mix } from '../../runtime/kernel/hash.js';
import type { Scenario, Work } from './scenario.js';

const PUTS = 20;
const FAULTS = { tornWrite: 0.3, corruptByte: 0.2, skipSync: 0.1 };

export const kv: Scenario = {
  name: 'kv: 20 puts, sync, recover',
  original: 44_400,
  limit: 20_000,
  runs: 5000,
  run: runPuts,
};

export function runPuts(seed: number): Work {
  const sim = new Sim({ seed });
  const disk = new FaultyStorage(sim, 'log', FAULTS);
  const store = new KvStore(disk, { checksums: true, session: 1 });
  for (let i = 0; i < PUTS; i++) store.put(`key${i}`, `value-${seed}-${i}`);
  store.sync();
  const after = new KvStore(disk, { checksums: true, session: 2 });
  const recovered = after.recover();
  return { hash: mix(seed, disk.size()), recovered };
}
