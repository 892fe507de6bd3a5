/** The benchmark of the editor plugin in a small size: it runs, and does the same work each time. */

import { expect } from 'chai';
import { benchEditor } from '../../bench/editor.js';

describe('bench editor', () => {
  it('measures every figure', async function () {
    this.timeout(60_000);
    const { figures, work } = await benchEditor(3, 1, 100);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'a file is opened (3 files)',
      'a character is typed (3 files)',
      'a character is typed into 100 lines',
    ]);
    expect(work).to.match(/^[0-9a-f]{12}$/);
  });
});
