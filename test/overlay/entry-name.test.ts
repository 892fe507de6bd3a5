/** No test runner takes a compiled file for a test, and its source is found again by its path. */

import { expect } from 'chai';
import { entryName, pathOfEntry } from '../../cli/overlay/entry-name.js';

describe('names of compiled files', () => {
  it('are not those of tests', () => {
    expect(entryName('src/a.ts')).to.equal('src/a.ts');
    expect(entryName('../store/a:b.ts')).to.equal('_up/store/a_b.ts');
    expect(entryName('test/deep/test/a.test.ts')).to.equal('test~/deep/test~/a.test.ts');
    expect(entryName('src/__tests__/a.ts')).to.equal('src/__tests__~/a.ts');
    expect(entryName('lib/test-a.js')).to.equal('lib/~test-a.js');
    expect(entryName('tests/latest/a.ts')).to.equal('tests/latest/a.ts');
  });

  it('lead back to the folders of the sources', () => {
    for (const folder of ['test', 'src/__tests__/deep', 'tests/latest', 'test/test']) {
      const entry = entryName(`${folder}/a.ts`).replace(/\/a\.ts$/, '');
      expect(pathOfEntry(entry)).to.equal(folder);
      expect(pathOfEntry(`${entry}/data.json`)).to.equal(`${folder}/data.json`);
    }
  });
});
