/** A bounded part of what `npm run bench -- fuzz` does, and logs that are wrong in known ways. */

import { expect } from 'chai';
import fc from 'fast-check';
import { KvStore } from '../store.js';
import { properties, recoverBytes } from './fuzz.js';
import { PlainDisk } from './logs.js';

const RUNS = 1500;

describe('recovery of whatever is on the disk', function () {
  this.timeout(60_000);

  let bytes = 0;
  let records = 0;
  const all = properties((recovery) => {
    bytes += recovery.bytes;
    records += recovery.records;
  });
  for (const [name, property] of Object.entries(all)) {
    it(`never throws, and is consistent: ${name}`, () => {
      bytes = records = 0;
      fc.assert(property, { seed: 20260101, numRuns: RUNS });
      expect(bytes).to.be.greaterThan(RUNS);
      if (name.startsWith('damaged')) expect(records).to.be.greaterThan(RUNS / 2);
    });
  }

  it('stands logs cut short, and lengths that no disk holds', () => {
    for (const checksums of [true, false]) {
      const options = { checksums, session: 1 };
      const disk = new PlainDisk();
      const store = new KvStore(disk, options);
      store.put('key', 'value');
      store.put('other', 'value');
      const log = disk.bytes;
      const lengths = Buffer.concat([log, Buffer.from([0, 0, 0, 1, 0, 0, 0, 3])]);
      const huge = Buffer.concat([lengths, Buffer.alloc(12, 0xff)]);
      expect(recoverBytes(log, options).length).to.equal(3);
      expect(recoverBytes(new Uint8Array(0), options).length).to.equal(1);
      expect(recoverBytes(log.subarray(0, 4), options).length).to.equal(1);
      expect(recoverBytes(log.subarray(0, log.length >> 1), options).length).to.equal(2);
      expect(recoverBytes(Buffer.concat([log, Buffer.alloc(4, 0xff)]), options).length).to.equal(3);
      expect(recoverBytes(huge, options).length).to.equal(3);
    }
  });
});
