/**
 * What a sweep of a small service costs: one test that starts an HTTP server, asks it ten times and
 * finds ten files written; 2,000 trials, the whole command from cold.
 *
 *     node dist/bench/service.js [--json] [--trials=2000] [--rounds=3]
 *
 * The trials of one warm worker are measured too, on rung `any` as the sweep has them.
 */

import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { coldSweep } from './sweep/cold-sweep.js';
import { inProject, setupFor } from './sweep/project.js';
import { BenchWorker } from './sweep/trials.js';

const SERVICE = `import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';

/** Keeps what it is sent in files, one for each path, and answers when they are written. */
export function service(folder: string): http.Server {
  return http.createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    await writeFile(path.join(folder, path.basename(request.url!)), text);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ written: text.length }));
  });
}
`;

const SPEC = `import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { service } from '../src/service';

const texts = Array.from({ length: 10 }, (_, i) => 'text '.repeat(i + 1));

async function put(port: number, name: string, text: string): Promise<unknown> {
  const request = http.request({ port, path: '/' + name, method: 'PUT' }).end(text);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let answer = '';
  for await (const chunk of response) answer += chunk;
  return JSON.parse(answer);
}

describe('service', () => {
  it('keeps what it is sent', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'service-'));
    const server = service(folder).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answers = await Promise.all(texts.map((text, i) => put(port, String(i), text)));
    expect(answers).to.deep.equal(texts.map((text) => ({ written: text.length })));
    const kept = texts.map((_, i) => fs.readFileSync(path.join(folder, String(i)), 'utf8'));
    expect(kept).to.deep.equal(texts);
    server.close();
    await once(server, 'close');
  });
});
`;

export interface ServiceSize {
  readonly trials: number;
  readonly rounds: number;
}

export async function benchService(
  size: ServiceSize,
): Promise<{ figures: Figure[]; work: string }> {
  const files = { 'src/service.ts': SERVICE, 'test/service.test.ts': SPEC };
  return inProject(async (root) => {
    const worker = new BenchWorker(setupFor(root, 'test/service.test.ts'));
    const count = Math.ceil(size.trials / 4);
    await worker.run(count);
    const warm: number[] = [];
    const cold: number[] = [];
    for (let i = 0; i < size.rounds; i++) {
      warm.push((await worker.run(count)) / count);
      cold.push(coldSweep(root, size.trials) / 1000);
    }
    if (worker.failures > 0) throw new Error('a test of the benchmark has failed');
    return {
      figures: [
        figure({
          bench: 'service',
          figure: 'a trial in a warm worker',
          value: median(warm),
          unit: 'ms',
        }),
        figure({
          bench: 'service',
          figure: `detsim sweep --trials=${size.trials}, from cold`,
          value: median(cold),
          unit: 's',
          limit: '2000 trials in at most 15 s on two cores',
        }),
      ],
      work: (worker.work >>> 0).toString(16),
    };
  }, files);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      trials: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const { figures, work } = await benchService({
    trials: Number(values.trials),
    rounds: Number(values.rounds),
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
