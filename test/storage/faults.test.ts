/** That the faults of a disk strike as often as their rates say, where they should, and nowhere else. */

import { expect } from 'chai';
import { DiskReadError, FaultyStorage, Sim, type StorageProfile } from '../../index.js';
import { Kind, type Decision } from '../../runtime/kernel/choice.js';

const WRITES = 5000;
const SECTOR = 16;

function disk(profile: StorageProfile, seed = 1): { sim: Sim; storage: FaultyStorage } {
  const sim = new Sim({ seed });
  return { sim, storage: new FaultyStorage(sim, 'disk', { sectorSize: SECTOR, ...profile }) };
}

/** A rate measured over so many rolls lies within five standard deviations. */
function expectRate(count: number, rate: number, of = WRITES): void {
  expect(count / of).to.be.closeTo(rate, 5 * Math.sqrt((rate * (1 - rate)) / of));
}

/** The content of the n-th sector: recognizable, and nowhere zero. */
const content = (n: number): Uint8Array =>
  Uint8Array.from({ length: SECTOR }, (_, i) => 1 + ((n * 31 + i * 7) % 255));

/** Writes every sector once, a write each, and syncs. */
function written(profile: StorageProfile, seed = 1): FaultyStorage {
  const { storage } = disk(profile, seed);
  for (let n = 0; n < WRITES; n++) storage.writeAt(n * SECTOR, content(n));
  storage.sync();
  return storage;
}

/** The numbers of the sectors that do not hold what they should. */
function wrongSectors(storage: FaultyStorage): number[] {
  const wrong: number[] = [];
  for (let n = 0; n < WRITES; n++) {
    const got = storage.readAt(n * SECTOR, SECTOR);
    if (Buffer.compare(got, content(n)) !== 0) wrong.push(n);
  }
  return wrong;
}

describe('FaultyStorage: rates', () => {
  it('without faults everything is as it was written', () => {
    expect(wrongSectors(written({}))).to.deep.equal([]);
  });

  it('a corrupt byte is one byte of a write, which was whole until it was synced', () => {
    for (const rate of [0.02, 0.2, 0.7]) {
      const { storage } = disk({ corruptByte: rate });
      for (let n = 0; n < WRITES; n++) storage.writeAt(n * SECTOR, content(n));
      expect(wrongSectors(storage)).to.deep.equal([]);
      storage.sync();
      const wrong = wrongSectors(storage);
      expectRate(wrong.length, rate);
      const places = new Set<number>();
      for (const n of wrong) {
        const good = content(n);
        const got = storage.readAt(n * SECTOR, SECTOR);
        const differing = [...got.keys()].filter((i) => got[i] !== good[i]);
        expect(differing).to.have.length(1);
        places.add(differing[0]);
      }
      expect(places.size).to.equal(SECTOR);
    }
  });

  it('a misdirected write leaves its own sector as it was, and may hit another', () => {
    const storage = written({ misdirectedWrite: 0.1 });
    const wrong = wrongSectors(storage);
    const empty = wrong.filter((n) => storage.readAt(n * SECTOR, SECTOR).every((b) => b === 0));
    // Every one leaves a hole, unless another one or a later write has filled it.
    expect(empty.length / WRITES).to.be.within(0.07, 0.11);
    expect(wrong.length).to.be.above(empty.length);
    const contents = new Set(
      Array.from({ length: WRITES }, (_, n) => Buffer.from(content(n)).toString('hex')),
    );
    for (const n of wrong) {
      const got = Buffer.from(storage.readAt(n * SECTOR, SECTOR)).toString('hex');
      expect(empty.includes(n) || contents.has(got)).to.equal(true);
    }
    expect(storage.size()).to.equal(WRITES * SECTOR);
  });

  it('a skipped sync leaves everything unsynced, and a later one brings it to the medium', () => {
    let lost = 0;
    let kept = 0;
    for (let seed = 1; seed <= 2000; seed++) {
      const { storage } = disk({ skipSync: 0.3 }, seed);
      storage.writeAt(0, content(1));
      storage.sync();
      expect(storage.readAt(0, SECTOR)).to.deep.equal(content(1));
      storage.crash();
      if (storage.size() === 0) lost++;
      else kept++;
    }
    // A crash after a skipped sync loses a single sector in half of the cases.
    expectRate(lost, 0.15, 2000);
    expect(lost + kept).to.equal(2000);

    const { storage } = disk({ skipSync: 0.5 });
    storage.writeAt(0, content(1));
    for (let i = 0; i < 50; i++) storage.sync();
    storage.crash();
    expect(storage.readAt(0, SECTOR)).to.deep.equal(content(1));
  });

  it('reads fail as often as they should, and work the next time', () => {
    const { storage } = disk({ readError: 0.2 });
    storage.writeAt(0, content(1));
    let failed = 0;
    for (let i = 0; i < WRITES; i++) {
      try {
        expect(storage.readAt(0, SECTOR)).to.deep.equal(content(1));
      } catch (error) {
        expect(error).to.be.instanceOf(DiskReadError);
        failed++;
      }
    }
    expectRate(failed, 0.2);
  });

  it('of two writes to one place the older stays where they are reordered', () => {
    let older = 0;
    for (let seed = 1; seed <= 2000; seed++) {
      const { storage } = disk({ reorder: 0.25 }, seed);
      storage.writeAt(0, Uint8Array.of(1));
      storage.writeAt(0, Uint8Array.of(2));
      expect(storage.readAt(0, 1)[0]).to.equal(2);
      storage.sync();
      if (storage.readAt(0, 1)[0] === 1) older++;
    }
    expectRate(older, 0.25, 2000);
    const apart = written({ reorder: 0.5 });
    expect(wrongSectors(apart)).to.deep.equal([]);
  });

  it('a torn sector has only the beginning of what was written, and only after a crash', () => {
    expect(wrongSectors(written({ tornWrite: 1 }))).to.deep.equal([]);
    let torn = 0;
    let whole = 0;
    for (let seed = 1; seed <= 2000; seed++) {
      const { storage } = disk({ tornWrite: 0.3 }, seed);
      storage.seedRaw(new Uint8Array(SECTOR).fill(0xff));
      storage.writeAt(0, new Uint8Array(SECTOR).fill(1));
      storage.crash();
      const got = [...storage.readAt(0, SECTOR)];
      const length = got.indexOf(0xff) < 0 ? SECTOR : got.indexOf(0xff);
      expect(got.slice(length).every((byte) => byte === 0xff)).to.equal(true);
      if (length === SECTOR) whole++;
      else if (length > 0) torn++;
    }
    // Of the survivors 0.3 are torn; of those one in sixteen before its first byte.
    const survivors = whole / 0.7;
    expect(survivors).to.be.within(900, 1100);
    expectRate(torn, 0.3 * (15 / 16) * (survivors / 2000), 2000);
  });
});

describe('FaultyStorage: faults are choices', () => {
  const faults = {
    tornWrite: 0.5,
    corruptByte: 0.3,
    misdirectedWrite: 0.2,
    reorder: 0.3,
    skipSync: 0.3,
  };

  /** Every decision of a life of a disk, and what it holds at the end. */
  const live = (seed: number, profile: StorageProfile): { made: Decision[]; end: string } => {
    const { sim, storage } = disk(profile, seed);
    const made: Decision[] = [];
    sim.loop.recorder = { choice: (decision) => void made.push(decision) };
    for (let round = 0; round < 10; round++) {
      for (let n = 0; n < 6; n++) storage.writeAt((n * 3 + round) * 5, content(n + round));
      if (round % 2 === 0) storage.sync();
      if (round % 3 === 0) storage.crash();
    }
    storage.crash();
    return { made, end: Buffer.from(storage.readAt(0, storage.size())).toString('hex') };
  };

  it('the same seed is the same disk; another is another', () => {
    const ends = new Set<string>();
    for (let seed = 1; seed <= 30; seed++) {
      const { end } = live(seed, faults);
      expect(live(seed, faults).end).to.equal(end);
      ends.add(end);
    }
    expect(ends.size).to.equal(30);
  });

  it('seed 0 is the empty schedule: nothing strikes', () => {
    const always = { tornWrite: 1, corruptByte: 1, misdirectedWrite: 1, reorder: 1, skipSync: 1 };
    const { made, end } = live(0, always);
    expect(end).to.equal(live(0, {}).end).and.not.equal('');
    expect(made.length).to.be.above(50);
    for (const { kind, value } of made) if (kind !== Kind.Place) expect(value).to.equal(0);
  });

  it('each has a key of its own', () => {
    const { made } = live(5, faults);
    const keys = new Set(made.map(({ key, occurrence }) => `${key}#${occurrence}`));
    expect(keys.size).to.equal(made.length);
    expect(new Set(made.map(({ site }) => site.position()))).to.deep.equal(new Set(['disk/disk']));
  });

  it('one fault less leaves the others as they were', () => {
    const of = (made: readonly Decision[], kinds: readonly Kind[]): string[] =>
      made
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ kind, occurrence, value }) => `${kind} ${occurrence} ${value}`);
    const before = live(5, faults).made;
    const after = live(5, { ...faults, corruptByte: 0, tornWrite: 0 }).made;
    const kinds = [Kind.Misdirect, Kind.Overtake, Kind.SkipSync, Kind.Lose];
    expect(of(after, kinds)).to.deep.equal(of(before, kinds));
    expect(of(after, [Kind.Corrupt, Kind.Torn])).to.deep.equal([]);
  });

  it('disks are independent of each other, also of one name', () => {
    const sim = new Sim({ seed: 3 });
    const states = [0, 1, 2].map((i) => {
      const storage = new FaultyStorage(sim, i < 2 ? 'same' : 'other', { corruptByte: 0.5 });
      for (let n = 0; n < 50; n++) storage.writeAt(n * 4, Uint8Array.of(1, 2, 3, 4));
      storage.sync();
      return Buffer.from(storage.readAt(0, 200)).toString('hex');
    });
    expect(new Set(states).size).to.equal(3);
  });
});
