/** `simulate` under faults of the simulated world. */

import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { FindingError, simulate, type FaultSettings } from '../../index.js';
import { VARIABLE } from '../../runtime/simulate/replay-line.js';

/** Sends a word to an echo server and waits until it has come back. */
async function echo(): Promise<void> {
  const server = net.createServer((socket) => socket.on('error', () => {}).pipe(socket));
  await once(server.listen(3000), 'listening');
  const client = net.connect(3000).end('word');
  client.resume();
  await once(client, 'close');
  server.close();
}

describe('simulate under faults', () => {
  it('finds what a fault does, and runs it again', async () => {
    expect((await simulate({ trials: 40, failOn: 'node' }, echo)).hazards).to.deep.equal([]);
    const faults: FaultSettings = { reset: 0.2 };
    const found = await simulate({ trials: 200, faults }, echo).catch((error: unknown) => error);
    expect(found).to.be.instanceOf(FindingError);
    const { schedule, message, rung } = found as FindingError;
    expect(rung).to.equal('node');
    expect(schedule).to.match(/^node;reset\(tcp\/1[<>]\)#\d+$/);
    expect(message).to.include('ECONNRESET');
    process.env[VARIABLE] = schedule;
    try {
      const again = await simulate({ faults }, echo).catch((error: Error) => error.message);
      expect(again).to.include('ECONNRESET');
    } finally {
      delete process.env[VARIABLE];
    }
  });

  it('leaves kinds of a swarm out', async () => {
    let resets = 0;
    const tried = async (): Promise<void> => echo().catch(() => void resets++);
    const report = await simulate({ trials: 60, faults: { reset: 0.9, swarm: true } }, tried);
    expect(resets).to.be.within(1, report.trials - 10);
  });

  it('says which of them it does not know', async () => {
    const faults = { resets: 1 } as FaultSettings;
    const error = await simulate({ faults }, echo).catch((reason: Error) => reason);
    expect(error).to.be.instanceOf(TypeError);
    expect((error as Error).message).to.match(
      /^simulate: "resets" is no kind of fault: there are /,
    );
  });
});
