/** Each call that a simulation refuses is marked by a rule, or is on the list of those that are not. */

import { expect } from 'chai';
import { UncontrolledError } from '../../runtime/errors.js';
import { install } from '../../runtime/node/install.js';
import { ruleCodeOf, UNMARKED } from '../../runtime/rule-codes.js';
import { trapNames } from '../../runtime/node/uncontrolled.js';
import { rules } from '../../transformer/analyzer/check/index.js';

install();

/** Traps with a condition of their own. */
const OTHERS = [
  'fetch',
  'fs.openSync',
  'reading from a file stream',
  'reading from a socket or terminal',
  'readline.createInterface on standard input',
];

describe('rules and the run time', () => {
  it('every trap has a rule or a reason to have none', () => {
    const names = [...trapNames(), ...OTHERS];
    expect(names.length).to.be.greaterThan(40);
    const open = names.filter(
      (name) => ruleCodeOf(name) === undefined && !UNMARKED.some(([calls]) => calls.test(name)),
    );
    expect(open).to.deep.equal([]);
  });

  it('every code is that of a rule', () => {
    const codes = new Set([...trapNames()].map(ruleCodeOf).filter((code) => code !== undefined));
    expect(codes.size).to.be.greaterThan(5);
    for (const code of codes) expect(rules.map((rule) => rule.code)).to.include(code);
  });

  it('the error says the code', () => {
    const error = new UncontrolledError('child_process.spawn', 'a.ts:1:2');
    expect(error.rule).to.equal('DS1003');
    expect(error.message).to.match(
      /^child_process\.spawn at a\.ts:1:2 cannot be simulated \(DS1003\):/,
    );
    expect(new UncontrolledError('net.connect', 'a.ts:1:2').rule).to.equal(undefined);
  });
});
