/**
 * Commands that are pasted into a shell: what a shell makes of them is what was meant.
 */

import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { assign, grepPattern, quote } from '../../runtime/explore/quote.js';
import { reproduce } from '../../cli/report/repro.js';

const WORDS = ['plain', 'two words', `it's`, '"so"', '$HOME `id` \\', '!x', 'a\nb', '', '*', ';ü→'];

describe('commands to paste', () => {
  it('words mean themselves in a shell', () => {
    for (const word of WORDS) {
      const said = execFileSync('sh', ['-c', `printf %s ${quote(word)}`], { encoding: 'utf8' });
      expect(said).to.equal(word);
    }
  });

  it('variables have their value in a shell', () => {
    for (const word of WORDS) {
      const line = `${assign('VALUE', word)} sh -c 'printf %s "$VALUE"'`;
      expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).to.equal(word);
    }
  });

  it('a title becomes a pattern that matches it alone', () => {
    const titles = ['adds', 'adds twice', 'a (b) [c] {d} ^e$ f.g*h+i?j|k\\l', '/slashes/'];
    for (const title of titles) {
      const pattern = new RegExp(grepPattern(title, titles));
      expect(titles.filter((one) => pattern.test(one))).to.deep.equal([title]);
    }
  });

  it('looks as documented', () => {
    const target = {
      file: 'test/pool.test.ts',
      test: 'never over-admits',
      titles: ['never over-admits'],
      environment: {},
    };
    expect(reproduce({ seed: 847291 }, target)).to.equal(
      'DETSIM_SEED=847291 npx mocha --require detsim/register test/pool.test.ts ' +
        '--grep "never over-admits"',
    );
    const environment = { DETSIM_INSTRUMENT: 'p-queue' };
    expect(reproduce({ seed: 1 }, { ...target, test: undefined, environment })).to.equal(
      'DETSIM_INSTRUMENT=p-queue DETSIM_SEED=1 npx mocha --require detsim/register test/pool.test.ts',
    );
  });
});
