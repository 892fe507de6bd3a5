/** Notes on promises: private, kept apart by simulation, and harmless where none can be made. */

import { expect } from 'chai';
import { makeNote, noteOf } from '../../runtime/tasks/promise-notes.js';

describe('notes on promises', () => {
  const owner = {};

  it('stay with the promise, unseen', () => {
    const promise = Promise.resolve(1);
    const keys = Reflect.ownKeys(promise);
    const note = makeNote(owner, promise);
    note.standIn = true;
    expect(noteOf(owner, promise)).to.equal(note);
    expect(Reflect.ownKeys(promise)).to.deep.equal(keys);
  });

  it('mean nothing to another simulation', () => {
    const promise = Promise.resolve(1);
    makeNote(owner, promise).later = Promise.resolve(2);
    expect(noteOf({}, promise)).to.equal(undefined);
    expect(makeNote({}, promise).later).to.equal(undefined);
    expect(noteOf(owner, promise)).to.equal(undefined);
  });

  it('do no harm to a frozen promise', () => {
    const promise = Object.freeze(Promise.resolve(1));
    expect(makeNote(owner, promise).standIn).to.equal(false);
  });

  it('are absent where nobody has made one', () => {
    expect(noteOf(owner, Promise.resolve(1))).to.equal(undefined);
    expect(noteOf(owner, () => {})).to.equal(undefined);
  });
});
