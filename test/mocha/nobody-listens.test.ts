/**
 * A failure that comes of a server which is not part of the test says so: plain Node may find one.
 */

import { expect } from 'chai';
import { mochaProject, runnerOf, trial } from './project.js';

const SPEC = `
  import net from 'node:net';

  const connect = (port: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1', () => (socket.destroy(), resolve()));
      socket.on('error', (cause) => reject(new Error('no database', { cause })));
    });

  it('asks a server that is not there', () => connect(3306));

  it('does not fail', () => connect(3306).catch(() => {}));

  it('asks a server that is there no more', async () => {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(3000, resolve));
    await new Promise((resolve) => server.close(resolve));
    await connect(3000);
  });
`;

describe('mocha: a server that is missing', () => {
  it('is named by a failure that comes of it', async () => {
    const root = mochaProject({ 'a.spec.ts': SPEC });
    const { tests } = await trial(runnerOf(root), `${root}/a.spec.ts`);
    const messages = tests.map(({ failure }) => failure?.message);
    expect(messages[0]).to.match(
      /^no database\nNobody in the simulation has listened on 127\.0\.0\.1:3306, /,
    );
    expect(messages.slice(1)).to.deep.equal([undefined, 'no database']);
  });
});
