/** The journal, on disks that lose power. */

import { expect } from 'chai';
import { FaultyStorage, Sim } from 'detsim';
import { Journal } from '../journal.js';
import type { Entry } from '../messages.js';
import type { Saved } from '../store.js';

const EMPTY: Saved = {
  term: 0,
  votedFor: null,
  snapshot: { lastIndex: 1, lastTerm: 0, members: ['a'], pairs: [] },
  entries: [],
};

function entry(index: number, term: number): Entry {
  return { index, term, command: { key: 'x', value: `${index}.${term}` }, members: null };
}

function newDisks(seed = 1, tornWrite = 0): [FaultyStorage, FaultyStorage] {
  const sim = new Sim({ seed });
  return [new FaultyStorage(sim, 'a', { tornWrite }), new FaultyStorage(sim, 'b', { tornWrite })];
}

describe('the journal', function () {
  this.timeout(20_000);

  it('is empty at first', () => {
    expect(new Journal(newDisks()).load()).to.equal(undefined);
  });

  it('keeps the latest vote and entries', () => {
    const disks = newDisks();
    const journal = new Journal([...disks]);
    journal.replace(EMPTY);
    journal.saveVote(3, 'b');
    for (let index = 2; index < 6; index++) journal.append(entry(index, 3));
    journal.append(entry(4, 5));
    journal.sync();
    expect(new Journal([...disks]).load()).to.deep.equal({
      ...EMPTY,
      term: 3,
      votedFor: 'b',
      entries: [entry(2, 3), entry(3, 3), entry(4, 5)],
    });
  });

  it('goes on after what it has kept', () => {
    const disks = newDisks();
    new Journal([...disks]).replace(EMPTY);
    for (let index = 2; index < 5; index++) {
      const journal = new Journal([...disks]);
      journal.load();
      journal.append(entry(index, 1));
      journal.sync();
    }
    expect(new Journal([...disks]).load()!.entries).to.have.length(3);
  });

  it('takes the replacement that is newest', () => {
    const disks = newDisks();
    const journal = new Journal([...disks]);
    for (let term = 0; term < 5; term++) journal.replace({ ...EMPTY, term });
    expect(new Journal([...disks]).load()!.term).to.equal(4);
  });

  it('keeps all that was synced, and a beginning of the rest, whatever a crash leaves', () => {
    let torn = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const disks = newDisks(seed, 0.5);
      const journal = new Journal([...disks]);
      journal.replace(EMPTY);
      for (let index = 2; index < 20; index++) journal.append(entry(index, 1));
      journal.sync();
      for (let index = 20; index < 60; index++) journal.append(entry(index, 1));
      for (const disk of disks) disk.crash();
      const { entries } = new Journal([...disks]).load()!;
      expect(entries.length).to.be.within(18, 58);
      if (entries.length > 18 && entries.length < 58) torn++;
      expect(entries).to.deep.equal(entries.map((_, i) => entry(i + 2, 1)));
    }
    expect(torn).to.be.above(5);
  });

  it('is whole when a crash comes in the middle of its replacement', () => {
    const terms = new Set<number>();
    for (let seed = 1; seed <= 100; seed++) {
      const disks = newDisks(seed);
      const journal = new Journal([...disks]);
      const entries = Array.from({ length: 40 }, (_, i) => entry(i + 2, 1));
      journal.replace({ ...EMPTY, entries });
      journal.sync = () => {};
      journal.replace({ ...EMPTY, term: 1, entries });
      for (const disk of disks) disk.crash();
      const saved = new Journal([...disks]).load()!;
      terms.add(saved.term);
      expect(saved.entries).to.deep.equal(entries);
    }
    expect(terms).to.deep.equal(new Set([0, 1]));
  });

  it('does not take up what was left behind a tail that was cut off', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const disks = newDisks(seed, 0.5);
      const journal = new Journal([...disks]);
      journal.replace(EMPTY);
      for (let index = 2; index < 40; index++) journal.append(entry(index, 1));
      for (const disk of disks) disk.crash();
      const next = new Journal([...disks]);
      const kept = next.load()!.entries.length;
      next.append(entry(kept + 2, 9));
      next.sync();
      const { entries } = new Journal([...disks]).load()!;
      expect(entries.map(({ term }) => term)).to.deep.equal([...new Array(kept).fill(1), 9]);
    }
  });
});
