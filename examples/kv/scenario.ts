/**
 * The life of a store on a disk that fails: rounds of puts and syncs, each ended by a crash or a
 * restart, and a recovery that is checked against what was written.
 *
 * Two things must hold, whatever the disk does: what comes back is what some prefix of the puts
 * says, each key with the value it has there; and what `sync` said is safe comes back, unless the
 * disk lied about it.
 */

import {
  DiskFullError,
  DiskReadError,
  FaultyStorage,
  Sim,
  type Random,
  type StorageProfile,
} from 'detsim';
import { KvStore } from './store.js';

const ROUNDS = 4;
const MAX_PUTS = 10;
const SYNC_CHANCE = 0.2;
const CRASH_CHANCE = 0.8;

export interface Scenario {
  readonly profile: StorageProfile;
  readonly checksums: boolean;
  /** The store under test; the planted mistakes of `examples/mutants` are others. */
  readonly Store?: typeof KvStore;
}

export interface Outcome {
  /** What must not be, if anything; the run ends with it. */
  readonly problem: string | undefined;
  /** Keys that the last recovery brought back. */
  readonly recovered: number;
  /** Puts that `sync` said were safe, and that a lying disk has lost. */
  readonly lost: number;
}

type Put = readonly [key: string, value: string];

/** Runs the scenario of one seed. */
export function runScenario(seed: number, scenario: Scenario): Outcome {
  return new Life(seed, scenario).run();
}

class Life {
  private readonly sim: Sim;
  private readonly random: Random;
  private readonly sessions: Random;
  private readonly disk: FaultyStorage;
  private store: KvStore;
  /** The puts of which the log must hold a prefix. */
  private written: Put[] = [];
  /** How many of them are safe. */
  private synced = 0;
  /** Puts that the last recovery has not brought back. */
  private forgotten: readonly Put[] = [];
  /** All values a key ever had. */
  private readonly values = new Map<string, Set<string>>();
  private lost = 0;
  private serial = 10;

  constructor(
    private readonly seed: number,
    private readonly scenario: Scenario,
  ) {
    this.sim = new Sim({ seed });
    this.random = this.sim.random('client');
    this.sessions = this.sim.random('session');
    this.disk = new FaultyStorage(this.sim, 'log', scenario.profile);
    this.store = this.open();
  }

  run(): Outcome {
    let problem: string | undefined;
    for (let round = 0; round < ROUNDS && problem === undefined; round++) {
      problem = this.write() ?? this.restart();
    }
    return { problem, recovered: this.store.keys().length, lost: this.lost };
  }

  private open(): KvStore {
    const { checksums, Store = KvStore } = this.scenario;
    return new Store(this.disk, { checksums, session: this.sessions.integer(0, 0xffffffff) });
  }

  /** Puts, with a sync now and then. */
  private write(): string | undefined {
    const { random } = this;
    // Clients that learn that their puts are lost do them again; others come in between.
    const again = this.forgotten.slice(0, random.integer(0, this.forgotten.length));
    const fresh = Array.from({ length: random.integer(1, MAX_PUTS) }, (): Put => {
      return [`key${random.integer(0, 9)}`, `value-${this.seed}-${this.serial++}`];
    });
    for (const put of [...again, ...fresh]) {
      const problem = this.put(put);
      if (problem !== undefined) return problem;
      if (!random.chance(SYNC_CHANCE)) continue;
      this.store.sync();
      this.synced = this.written.length;
    }
    return undefined;
  }

  private put([key, value]: Put): string | undefined {
    const before = this.store.get(key);
    let expected: string | undefined = value;
    try {
      this.store.put(key, value);
      this.written.push([key, value]);
      this.values.set(key, (this.values.get(key) ?? new Set()).add(value));
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
      expected = before;
    }
    const got = this.store.get(key);
    return got === expected ? undefined : `NOT WRITTEN: ${difference(key, got, expected)}`;
  }

  /** The process ends, mostly since the power goes, and another one recovers. */
  private restart(): string | undefined {
    const crash = this.random.chance(CRASH_CHANCE);
    if (crash) this.disk.crash();
    const count = this.recover();
    const safe = this.synced;
    const { written } = this;
    this.written = written.slice(0, count);
    this.forgotten = written.slice(count);
    // What is there after a crash is on the medium.
    this.synced = crash ? count : Math.min(safe, count);
    if (count > written.length) return `PHANTOM: ${count} puts of ${written.length} came back`;
    const problem = this.compare();
    if (problem !== undefined || count >= safe) return problem;
    if (honest(this.scenario.profile)) return `LOST: ${count} of ${safe} synced puts came back`;
    this.lost += safe - count;
    return undefined;
  }

  /** Opens the log; a process that cannot read it is started again. */
  private recover(): number {
    for (;;) {
      this.store = this.open();
      try {
        return this.store.recover();
      } catch (error) {
        if (!(error instanceof DiskReadError)) throw error;
      }
    }
  }

  /** Compares what came back with the prefix that should have. */
  private compare(): string | undefined {
    const expected = new Map(this.written);
    for (const key of new Set([...this.store.keys(), ...expected.keys()])) {
      const got = this.store.get(key);
      const want = expected.get(key);
      if (got !== want) return `${this.kind(key, got, want)}: ${difference(key, got, want)}`;
    }
    return undefined;
  }

  private kind(key: string, got: string | undefined, want: string | undefined): string {
    if (got === undefined) return 'MISSING';
    const known = this.values.get(key);
    if (known === undefined) return 'PHANTOM';
    if (!known.has(got)) return 'CORRUPTED';
    return want === undefined ? 'RESURRECTED' : 'STALE';
  }
}

/** Whether what is synced on such a disk is safe. */
function honest({ skipSync, corruptByte, misdirectedWrite }: StorageProfile): boolean {
  return !(skipSync || corruptByte || misdirectedWrite);
}

function difference(key: string, got: string | undefined, want: string | undefined): string {
  return `${printable(key) || '""'} got ${quoted(got)} want ${quoted(want)}`;
}

function quoted(value: string | undefined): string {
  return value === undefined ? 'nothing' : `"${printable(value)}"`;
}

/** The text on one line, with what cannot be printed escaped as in a string literal. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (char) => {
    const code = char.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}
