/**
 * What must hold for the recovery of a log, whatever is in it. The tests and the benchmark `fuzz`
 * run this in different sizes.
 */

import { FaultyStorage, Sim } from 'detsim';
import fc from 'fast-check';
import { HEADER } from '../record.js';
import { KvStore, type StoreOptions } from '../store.js';
import { anyBytes, damagedLog, damagedLogs, type Put } from './logs.js';

/** What recovery has done; benchmarks hash it. */
export interface Recovery {
  readonly bytes: number;
  readonly records: number;
}

/** Recovers a log, and throws if anything is wrong with that. */
export function recoverBytes(bytes: Uint8Array, options: StoreOptions): KvStore {
  const disk = new FaultyStorage(new Sim({ seed: 0 }), 'log');
  disk.seedRaw(bytes);
  const store = new KvStore(disk, options);
  const records = store.recover();
  check(records * HEADER <= bytes.length, 'more records than there is room for');
  check(disk.size() <= bytes.length, 'the log has grown');

  const size = disk.size();
  const keys = store.keys().join();
  check(store.recover() === records && store.keys().join() === keys, 'a second recovery differs');
  check(disk.size() === size, 'a second recovery cuts off more');

  store.put('next', 'value');
  check(store.recover() === records + 1, 'a put behind it is not recovered');
  check(store.get('next') === 'value', 'a put behind it is lost');
  return store;
}

/** With checksums a damaged log gives a prefix of the puts, and nothing else. */
function checkPrefix(puts: readonly Put[], store: KvStore): void {
  const count = store.length - 1;
  check(count <= puts.length, 'more records than puts');
  const expected = new Map([...puts.slice(0, count), ['next', 'value'] as const]);
  check(store.keys().length === expected.size, 'other keys than those of a prefix');
  for (const [key, value] of expected) check(store.get(key) === value, 'a value that was not put');
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

/** Every way of fuzzing, by name; `seen` hears of each run. */
export function properties(
  seen: (recovery: Recovery) => void,
): Record<string, fc.IProperty<unknown>> {
  const result: Record<string, fc.IProperty<unknown>> = {};
  for (const checksums of [true, false]) {
    const options = { checksums, session: 1 };
    const suffix = checksums ? 'with checksums' : 'without checksums';
    result[`any bytes, ${suffix}`] = fc.property(anyBytes, (bytes) => {
      const store = recoverBytes(bytes, options);
      seen({ bytes: bytes.length, records: store.length - 1 });
    }) as fc.IProperty<unknown>;
    result[`damaged logs, ${suffix}`] = fc.property(damagedLogs, ({ puts, damages }) => {
      const bytes = damagedLog(puts, damages, options);
      const store = recoverBytes(bytes, options);
      if (checksums) checkPrefix(puts, store);
      seen({ bytes: bytes.length, records: store.length - 1 });
    }) as fc.IProperty<unknown>;
  }
  return result;
}
