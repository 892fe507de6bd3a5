/** The benchmark of sockets in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchSockets } from '../../bench/sockets.js';

describe('bench sockets', function () {
  this.timeout(30_000);

  it('measures connections and round trips, and does the same work every time', async () => {
    const size = { connections: 20, trips: 20, rounds: 1 };
    const { figures, work } = await benchSockets(size);
    expect(figures.map(({ unit }) => unit)).to.deep.equal(['MiB', 'µs', 'µs']);
    expect((await benchSockets(size)).work).to.equal(work);
  });
});
