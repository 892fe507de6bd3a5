/** The store: what is safe, what a full disk does, and logs with something wrong in them. */

import { expect } from 'chai';
import { DiskFullError, DiskReadError, FaultyStorage, Sim, type StorageProfile } from 'detsim';
import zlib from 'node:zlib';
import { crc32 } from '../crc32.js';
import { KvStore } from '../store.js';
import { PlainDisk } from './logs.js';

const OPTIONS = { checksums: true, session: 1 };

function faultyDisk(profile: StorageProfile = {}, seed = 1): FaultyStorage {
  return new FaultyStorage(new Sim({ seed }), 'log', profile);
}

function recovered(disk: PlainDisk | FaultyStorage, session = 2): KvStore {
  const store = new KvStore(disk, { ...OPTIONS, session });
  store.recover();
  return store;
}

function contents(store: KvStore): Record<string, string | undefined> {
  return Object.fromEntries(store.keys().map((key) => [key, store.get(key)]));
}

describe('the store', () => {
  it('gives back what was synced, after a crash', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const disk = faultyDisk({ tornWrite: 0.5 }, seed);
      const store = new KvStore(disk, OPTIONS);
      store.put('a', '1');
      store.put('b', '2');
      store.put('a', '3');
      store.sync();
      store.put('c', '4');
      disk.crash();
      expect(contents(recovered(disk))).to.include({ a: '3', b: '2' });
    }
  });

  it('loses at some seed what was not synced', () => {
    const lost = Array.from({ length: 50 }, (_, seed) => {
      const disk = faultyDisk({}, seed);
      new KvStore(disk, OPTIONS).put('a', '1');
      disk.crash();
      return recovered(disk).get('a') === undefined;
    });
    expect(new Set(lost)).to.deep.equal(new Set([true, false]));
  });

  it('keeps keys and values of any text', () => {
    const disk = new PlainDisk();
    const store = new KvStore(disk, OPTIONS);
    const values = {
      '': 'empty key',
      empty: '',
      'schlüssel 🔑': 'Wert “€”',
      long: 'x'.repeat(5000),
    };
    for (const [key, value] of Object.entries(values)) store.put(key, value);
    expect(contents(recovered(disk))).to.deep.equal(values);
  });

  it('has not put what a full disk refuses', () => {
    const disk = faultyDisk({ maxSize: 60 });
    const store = new KvStore(disk, OPTIONS);
    store.put('a', '1');
    store.put('b', '2');
    expect(() => store.put('a', 'something longer')).to.throw(DiskFullError);
    expect(contents(store)).to.deep.equal({ a: '1', b: '2' });
    store.sync();
    expect(contents(recovered(disk))).to.deep.equal({ a: '1', b: '2' });
  });

  it('recovers the same as often as it is asked to, and goes on from there', () => {
    const disk = new PlainDisk();
    const store = new KvStore(disk, OPTIONS);
    store.put('a', '1');
    expect([store.recover(), store.recover(), store.get('a')]).to.deep.equal([1, 1, '1']);
    recovered(disk, 2).put('b', '2');
    const third = recovered(disk, 3);
    third.put('a', '3');
    expect(contents(recovered(disk))).to.deep.equal({ a: '3', b: '2' });
  });

  it('does not take a read error for the end of the log', () => {
    const disk = faultyDisk({ readError: 1 });
    const store = new KvStore(disk, OPTIONS);
    store.put('a', '1');
    store.sync();
    expect(() => recovered(disk)).to.throw(DiskReadError);
    expect(disk.size()).to.be.greaterThan(0);
  });
});

describe('a damaged log', () => {
  /** The bytes of a log of three puts, all of the same length. */
  const logOf = (session: number): Uint8Array => {
    const disk = new PlainDisk();
    const store = new KvStore(disk, { ...OPTIONS, session });
    for (const key of ['a', 'b', 'c']) store.put(key, '1');
    return disk.bytes;
  };
  const SIZE = 22;

  it('ends before the damage, and is cut off there', () => {
    for (let at = 0; at < 3 * SIZE; at++) {
      const disk = new PlainDisk(logOf(1));
      disk.bytes[at] ^= 1;
      const whole = Math.floor(at / SIZE);
      expect(recovered(disk).keys()).to.deep.equal(['a', 'b', 'c'].slice(0, whole));
      expect(disk.size()).to.equal(whole * SIZE);
    }
  });

  it('holds no record of zeros', () => {
    const disk = new PlainDisk(new Uint8Array(200));
    expect(recovered(disk).keys()).to.deep.equal([]);
  });

  it('does not go on past a record that is missing', () => {
    const log = logOf(1);
    const disk = new PlainDisk(Buffer.concat([log.subarray(0, SIZE), log.subarray(2 * SIZE)]));
    expect(recovered(disk).keys()).to.deep.equal(['a']);
  });

  it('does not go on with a record of an earlier session, even behind an equal one', () => {
    const old = logOf(1);
    const disk = new PlainDisk(old.slice(0, SIZE));
    recovered(disk, 2).put('b', '1');
    // The cut of the tail was lost, and so the rest of the earlier log is there again.
    disk.bytes = Buffer.concat([disk.bytes, old.subarray(2 * SIZE)]);
    expect(recovered(disk).keys()).to.deep.equal(['a', 'b']);
  });

  it('makes a store without checksums give wrong answers', () => {
    const disk = new PlainDisk();
    const store = new KvStore(disk, { checksums: false, session: 1 });
    store.put('a', '1');
    disk.bytes[disk.bytes.length - 1] ^= 1;
    store.recover();
    expect(store.get('a')).to.equal('0');
  });
});

describe('crc32', () => {
  it('is that of zlib, also in pieces', () => {
    const bytes = Buffer.from('The quick brown fox jumps over the lazy dog.');
    for (let cut = 0; cut <= bytes.length; cut++) {
      const start = crc32(bytes, 0, cut);
      expect(start).to.equal(zlib.crc32(bytes.subarray(0, cut)));
      expect(crc32(bytes, cut, bytes.length, start)).to.equal(zlib.crc32(bytes));
    }
  });
});
