/** Signatures: equal for one bug with other values, different for different bugs. */

import { expect } from 'chai';
import { signatureOf, stripValues } from '../../runtime/explore/signature.js';

describe('signature', () => {
  const error = (message: string): string =>
    signatureOf({ kind: 'assertion', name: 'AssertionError', message }, 'pool');

  it('is the same for messages that differ in values only', () => {
    const pairs = [
      ['expected 3 to equal 2', 'expected 14 to equal 2'],
      ["expected 'a b' to equal 'c'", "expected 'it\\'s' to equal ''"],
      [
        'expected { busy: true, at: [ 1, 2 ] } to deeply equal {}',
        'expected {} to deeply equal {}',
      ],
      ['expected [ 1, [ 2 ] ] to include 3', 'expected [] to include 3'],
      [
        'job 5f0c1e7a-11aa-4b4b-9c9c-0123456789ab is lost',
        'job 0f0c1e7a-22aa-4b4b-9c9c-0123456789ab is lost',
      ],
      ['took 1.5e3 ms', 'took 20 ms'],
      ['same\nwith one diff', 'same\nwith another'],
    ];
    for (const [a, b] of pairs) expect(error(a), a).to.equal(error(b));
  });

  it('differs for other words, kinds and tests', () => {
    expect(error('timeout')).to.not.equal(error('closed'));
    expect(signatureOf({ kind: 'error', name: 'Error', message: 'x' }, 'a')).to.not.equal(
      signatureOf({ kind: 'error', name: 'Error', message: 'x' }, 'b'),
    );
    expect(stripValues('peer is Breaker2 now')).to.equal('peer is Breaker2 now');
  });
});
