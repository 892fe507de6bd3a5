/** A disk: reading, writing, syncing, crashes; and what is said of wrong calls. */

import { expect } from 'chai';
import {
  DiskFullError,
  DiskReadError,
  FaultyStorage,
  millisecond,
  Sim,
  type StorageProfile,
} from '../../index.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const bytes = (value: string): Uint8Array => Buffer.from(value, 'latin1');

function disk(profile: StorageProfile = {}, seed = 1): { sim: Sim; storage: FaultyStorage } {
  const sim = new Sim({ seed });
  return { sim, storage: new FaultyStorage(sim, 'disk', profile) };
}

const all = (storage: FaultyStorage): string => text(storage.readAt(0, storage.size()));

describe('FaultyStorage: bytes', () => {
  it('written can be read before and after a sync, at any offset', () => {
    const { storage } = disk();
    storage.writeAt(0, bytes('hello world'));
    storage.writeAt(6, bytes('there'));
    expect(all(storage)).to.equal('hello there');
    storage.sync();
    expect(text(storage.readAt(6, 3))).to.equal('the');
    expect(storage.size()).to.equal(11);
  });

  // The original's harness had this bug: what was to be a range of bytes was a whole buffer.
  it('reads give exactly the range that is asked for, and fewer bytes only at the end', () => {
    const { storage } = disk();
    storage.writeAt(0, bytes('0123456789'));
    const cases: [number, number, string][] = [
      [0, 10, '0123456789'],
      [0, 100, '0123456789'],
      [9, 1, '9'],
      [9, 5, '9'],
      [3, 4, '3456'],
      [10, 1, ''],
      [1000, 1, ''],
      [5, 0, ''],
    ];
    for (const [offset, length, expected] of cases) {
      expect(text(storage.readAt(offset, length))).to.equal(expected);
      const into = Buffer.alloc(length, '.');
      expect(storage.read(into, offset)).to.equal(expected.length);
      expect(text(into)).to.equal(expected.padEnd(length, '.'));
    }
    const part = Buffer.alloc(10, '.');
    expect(storage.read(part.subarray(2, 5), 4)).to.equal(3);
    expect(text(part)).to.equal('..456.....');
  });

  it('between the end and a write beyond it are zeros', () => {
    const { storage } = disk();
    storage.writeAt(4, bytes('x'));
    expect(all(storage)).to.equal('\0\0\0\0x');
    storage.sync();
    expect(all(storage)).to.equal('\0\0\0\0x');
  });

  it('what is read and what was handed in can be changed without changing the disk', () => {
    const { storage } = disk();
    const given = bytes('abc');
    storage.writeAt(0, given);
    given[0] = 0;
    storage.readAt(0, 3)[1] = 0;
    storage.sync();
    storage.readAt(0, 3)[2] = 0;
    expect(all(storage)).to.equal('abc');
  });

  it('the size follows writes at once: 0, 5, 5, 15', () => {
    const { storage } = disk();
    const sizes = [storage.size()];
    storage.writeAt(0, bytes('12345'));
    sizes.push(storage.size());
    storage.sync();
    sizes.push(storage.size());
    storage.writeAt(5, bytes('1234567890'));
    sizes.push(storage.size());
    expect(sizes).to.deep.equal([0, 5, 5, 15]);
  });

  it('truncate cuts off, or fills up with zeros', () => {
    const { storage } = disk();
    storage.writeAt(0, bytes('0123456789'));
    storage.truncate(4);
    expect(all(storage)).to.equal('0123');
    storage.truncate(6);
    expect(all(storage)).to.equal('0123\0\0');
    storage.sync();
    expect(all(storage)).to.equal('0123\0\0');
  });

  it('seedRaw puts bytes on the medium as they are, and forgets what was there', () => {
    const { storage } = disk({ corruptByte: 1 });
    storage.writeAt(0, bytes('a long text that is gone'));
    storage.seedRaw(bytes('raw'));
    storage.crash();
    expect(all(storage)).to.equal('raw');
  });

  it('megabytes are no problem', () => {
    const { storage } = disk();
    const block = new Uint8Array(1 << 20).fill(7);
    for (let i = 0; i < 4; i++) storage.writeAt(i << 20, block);
    storage.sync();
    storage.crash();
    expect(storage.size()).to.equal(4 << 20);
    expect(storage.readAt((4 << 20) - 1, 10)).to.deep.equal(Uint8Array.of(7));
  });
});

describe('FaultyStorage: a full disk', () => {
  it('refuses what does not fit, whole, and takes what does', () => {
    const { storage } = disk({ maxSize: 100 });
    storage.writeAt(0, bytes('x'.repeat(14)));
    const full = (): void => storage.writeAt(90, bytes('y'.repeat(21)));
    expect(full)
      .to.throw(
        DiskFullError,
        'disk "disk" is full: a write up to byte 111 does not fit into 100 bytes',
      )
      .with.property('code', 'ENOSPC');
    expect(storage.size()).to.equal(14);
    storage.writeAt(90, bytes('z'.repeat(10)));
    expect(storage.size()).to.equal(100);
    expect(() => storage.truncate(101)).to.throw(DiskFullError);
  });

  it('nothing of a refused write is queued', () => {
    const { storage } = disk({ maxSize: 10 }, 0);
    expect(() => storage.writeAt(5, bytes('123456'))).to.throw(DiskFullError);
    storage.sync();
    storage.crash();
    expect(storage.size()).to.equal(0);
  });

  it('no limit is the default', () => {
    const { storage } = disk();
    storage.writeAt(1 << 20, bytes('x'));
    expect(storage.size()).to.equal((1 << 20) + 1);
  });
});

describe('FaultyStorage: syncs', () => {
  it('blocking, they take the time of the disk', () => {
    const { sim, storage } = disk({ latency: { min: millisecond, max: millisecond } });
    const log: string[] = [];
    sim.after(500_000, () => log.push(`other event at ${sim.now}`));
    sim.immediately(() => {
      storage.writeAt(0, bytes('x'));
      storage.sync();
      log.push(`synced at ${sim.now}`);
    });
    sim.run();
    expect(log).to.deep.equal(['synced at 1000000', 'other event at 1000000']);
  });

  it('with a callback they go on by themselves, and what was written is safe when it is called', () => {
    const { sim, storage } = disk({ latency: { min: 10, max: 10 } });
    const log: string[] = [];
    storage.writeAt(0, bytes('first'));
    storage.sync(() => log.push(`done at ${sim.now}`));
    storage.writeAt(5, bytes(' second'));
    sim.runFor(9);
    expect(log).to.deep.equal([]);
    sim.runFor(1);
    expect(log).to.deep.equal(['done at 10']);
    expect(all(storage)).to.equal('first second');
    storage.crash();
    expect(all(storage).slice(0, 5)).to.equal('first');
  });

  it('a crash before a sync is done ends it', () => {
    let lost = 0;
    for (let seed = 1; seed <= 50; seed++) {
      const { sim, storage } = disk({ latency: { min: 10, max: 10 } }, seed);
      storage.writeAt(0, bytes('x'));
      storage.sync(() => expect.fail('a sync was done after the crash'));
      sim.runFor(5);
      storage.crash();
      sim.run();
      if (storage.size() === 0) lost++;
    }
    expect(lost).to.be.within(5, 45);
  });

  it('without latency the callback comes as an event of its own', () => {
    const { sim, storage } = disk();
    let done = false;
    storage.sync(() => (done = true));
    expect(done).to.equal(false);
    sim.run();
    expect([done, sim.now]).to.deep.equal([true, 0]);
  });
});

describe('FaultyStorage: honest disks', () => {
  it('lose nothing that was synced, whatever is written and lost after it', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { sim, storage } = disk({ sectorSize: 16 }, seed);
      const random = sim.random('writes');
      const synced = new Uint8Array(200);
      for (let round = 0; round < 5; round++) {
        for (let i = 0; i < 5; i++) {
          const content = random.bytes(random.integer(1, 40));
          const at = random.integer(0, 160);
          storage.writeAt(at, content);
          synced.set(content, at);
        }
        storage.sync();
        storage.crash();
        const { length } = storage.readAt(0, 200);
        expect(storage.readAt(0, 200)).to.deep.equal(synced.slice(0, length));
        expect(synced.slice(length).every((byte) => byte === 0)).to.equal(true);
      }
    }
  });

  it('of what was not synced they keep whole sectors of whole writes', () => {
    const states = new Set<string>();
    for (let seed = 1; seed <= 500; seed++) {
      const { storage } = disk({ sectorSize: 4 }, seed);
      storage.writeAt(0, bytes('aaaaaaaaaaaa'));
      storage.sync();
      storage.writeAt(2, bytes('bbbbbbbb'));
      storage.crash();
      states.add(all(storage));
    }
    // The write touches half of a sector, a whole one, and half of one.
    expect([...states].sort()).to.deep.equal([
      'aaaaaaaaaaaa',
      'aaaaaaaabbaa',
      'aaaabbbbaaaa',
      'aaaabbbbbbaa',
      'aabbaaaaaaaa',
      'aabbaaaabbaa',
      'aabbbbbbaaaa',
      'aabbbbbbbbaa',
    ]);
  });

  it('of two unsynced writes to one place either may be there, or neither', () => {
    const states = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const { storage } = disk({}, seed);
      storage.seedRaw(bytes('old'));
      storage.writeAt(0, bytes('one'));
      storage.writeAt(0, bytes('two'));
      storage.crash();
      states.add(all(storage));
    }
    expect([...states].sort()).to.deep.equal(['old', 'one', 'two']);
  });

  it('sectors before a surviving one are holes of zeros when they are lost', () => {
    const states = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const { storage } = disk({ sectorSize: 2 }, seed);
      storage.writeAt(0, bytes('aabb'));
      storage.crash();
      states.add(all(storage));
    }
    expect([...states].sort()).to.deep.equal(['', '\0\0bb', 'aa', 'aabb']);
  });

  it('an unsynced truncation is there after a crash or not', () => {
    const states = new Set<string>();
    for (let seed = 1; seed <= 100; seed++) {
      const { storage } = disk({}, seed);
      storage.seedRaw(bytes('long'));
      storage.truncate(1);
      storage.crash();
      states.add(all(storage));
    }
    expect([...states].sort()).to.deep.equal(['l', 'long']);
  });

  it('with the empty schedule, and once the world is healed, a crash loses nothing', () => {
    for (const seed of [0, 7]) {
      const { sim, storage } = disk({ tornWrite: 1 }, seed);
      if (seed !== 0) sim.heal();
      storage.writeAt(0, bytes('everything'));
      storage.crash();
      expect(all(storage)).to.equal('everything');
    }
  });
});

describe('FaultyStorage: wrong calls', () => {
  it('are errors at once', () => {
    const { sim, storage } = disk();
    for (const bad of [-1, 1.5, NaN, Infinity]) {
      expect(() => storage.readAt(bad, 1)).to.throw(
        RangeError,
        'storage.readAt: the offset must be',
      );
      expect(() => storage.readAt(0, bad)).to.throw(
        RangeError,
        'storage.readAt: the length must be',
      );
      expect(() => storage.read(new Uint8Array(1), bad)).to.throw(RangeError, 'storage.read:');
      expect(() => storage.writeAt(bad, bytes('x'))).to.throw(RangeError, 'storage.writeAt:');
      expect(() => storage.truncate(bad)).to.throw(RangeError, 'storage.truncate:');
    }
    expect(() => storage.writeAt(0, 'text' as never)).to.throw(TypeError, 'must be a Uint8Array');
    expect(() => storage.sync(5 as never)).to.throw(TypeError, 'done must be a function');
    const made = (profile: object) => () => new FaultyStorage(sim, 'x', profile);
    expect(made({ tornWrite: 1.1 })).to.throw(
      RangeError,
      'new FaultyStorage: tornWrite must be a rate from 0 to 1, but it is 1.1.',
    );
    expect(made({ sectorSize: 0 })).to.throw(RangeError, 'sectorSize');
    expect(made({ maxSize: -1 })).to.throw(RangeError, 'maxSize');
    expect(made({ torn: 0.1 })).to.throw(TypeError, 'no option "torn"');
    expect(made({ latency: { min: 2, max: 1 } })).to.throw(RangeError, 'latency.max');
    expect(() => new FaultyStorage(sim, '')).to.throw(TypeError, 'the name');
  });

  it('a read error is an error of the disk', () => {
    const { storage } = disk({ readError: 1 });
    storage.writeAt(0, bytes('x'));
    expect(() => storage.readAt(0, 1))
      .to.throw(DiskReadError, 'disk "disk" cannot be read at byte 0')
      .with.property('code', 'EIO');
    expect(() => storage.read(new Uint8Array(1), 0)).to.throw(DiskReadError);
  });
});
