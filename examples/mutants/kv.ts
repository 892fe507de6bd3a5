/**
 * Planted mistakes in the key-value store, each found by the checks of its scenario.
 */

import { swarm, type StorageProfile } from 'detsim';
import { faults } from '../kv/modes.js';
import { runScenario } from '../kv/scenario.js';
import { KvStore } from '../kv/store.js';
import * as stores from './kv-stores.js';
import type { Mutant } from './mutant.js';

/** The fault-free part of a disk: small enough to be full now and then. */
const SMALL = { maxSize: 1200, latency: { min: 1000, max: 1000 } };

/** Two disks with moderate faults: on one what is synced is safe, the other lies. */
const HONEST: StorageProfile = { ...SMALL, tornWrite: 0.3, readError: 0.05, reorder: 0.1 };
const LYING: StorageProfile = {
  ...HONEST,
  corruptByte: 0.05,
  skipSync: 0.3,
  misdirectedWrite: 0.02,
};

function mutant(name: string, mistake: string, Store: typeof KvStore): Mutant {
  return {
    system: 'kv',
    name,
    mistake,
    run(seed, drawn) {
      const profiles = drawn ? [{ ...SMALL, ...swarm(seed, faults).storage }] : [HONEST, LYING];
      for (const profile of profiles) {
        const { problem } = runScenario(seed, { profile, checksums: true, Store });
        if (problem !== undefined) return { ok: false, text: problem };
      }
      return { ok: true };
    },
  };
}

export const kvCorrect = mutant('correct', 'none', KvStore);

export const kvMutants: readonly Mutant[] = [
  mutant('phantom-empty-record', 'zeros are a valid record', stores.PhantomEmptyRecord),
  mutant('resurrected-record', 'the tail behind the log is left there', stores.ResurrectedRecord),
  mutant(
    'older-value-over-a-synced-one',
    'new records go behind a damaged tail',
    stores.OlderValueOverSyncedOne,
  ),
  mutant(
    'later-key-past-a-lost-one',
    'recovery goes on behind a damaged record',
    stores.LaterKeyPastLostOne,
  ),
  mutant(
    'header-outside-the-checksum',
    'the checksum covers key and value only',
    stores.HeaderOutsideChecksum,
  ),
  mutant('cut-not-synced', 'the cut of the tail may be lost in a crash', stores.CutNotSynced),
  mutant('same-session', 'a record written again equals the lost one', stores.SameSession),
  mutant('sync-not-awaited', 'sync returns when the disk has begun', stores.SyncNotAwaited),
  mutant('map-before-disk', 'memory has a put that found the disk full', stores.MapBeforeDisk),
  mutant('read-error-as-end', 'a log that cannot be read is empty', stores.ReadErrorAsEnd),
  mutant('torn-record-accepted', 'the last record may be cut short', stores.TornRecordAccepted),
];
