/**
 * Values of options: what is taken, and what is said of the rest.
 */

import { expect } from 'chai';
import { UserError } from '../../cli/errors.js';
import { baseSeed, duration, oneOf, trialSeed, wholeNumber } from '../../cli/values.js';

describe('values of options', () => {
  it('whole numbers', () => {
    const trials = wholeNumber('--trials', 1);
    expect(trials('2000')).to.equal(2000);
    for (const text of ['0', '-1', '1.5', '1e3', '', ' 7', 'many', '99999999999999999999']) {
      expect(() => trials(text), text).to.throw(UserError, `--trials must be a whole number, 1 or`);
    }
  });

  it('seeds', () => {
    expect(baseSeed('0')).to.equal(0);
    expect(baseSeed('random')).to.equal('random');
    expect(trialSeed('9007199254740991')).to.equal(2 ** 53 - 1);
    expect(() => trialSeed('9007199254740993')).to.throw(UserError, 'from 0 to 9007199254740991');
    expect(() => trialSeed('random')).to.throw(UserError, 'it is "random"');
    expect(() => baseSeed('0x10')).to.throw(UserError, 'or "random"');
  });

  it('durations', () => {
    const budget = duration('--time-budget');
    expect(['250ms', '30s', '5m', '1.5h'].map(budget)).to.deep.equal([250, 3e4, 3e5, 5.4e6]);
    for (const text of ['30', 's', '-1s', '1 s', '1d']) {
      expect(() => budget(text), text).to.throw(UserError, '--time-budget=30s');
    }
  });

  it('words', () => {
    expect(oneOf('--color', ['red', 'blue'])('blue')).to.equal('blue');
    expect(() => oneOf('--color', ['red', 'blue'])('b')).to.throw(
      UserError,
      '--color must be one of red, blue, but it is "b".',
    );
  });
});
