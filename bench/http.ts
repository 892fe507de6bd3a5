/**
 * What a full HTTP request costs, through Node's own client and server: over simulated sockets, and
 * over loopback on plain Node, in the same run.
 *
 *     node dist/bench/http.js [--json] [--requests=2000] [--rounds=5]
 *
 * The rounds alternate, and the figures are their medians.
 */

import { parseArgs } from 'node:util';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { noDeviation } from '../runtime/kernel/choice.js';
import { EventLoop } from '../runtime/kernel/event-loop.js';
import { mix } from '../runtime/kernel/hash.js';
import { NODE } from '../runtime/kernel/rung.js';
import { drain } from '../runtime/node/drain.js';
import { install } from '../runtime/node/install.js';
import { active, Scheduler } from '../runtime/tasks/scheduler.js';
import { figure, median, printFigures, type Figure } from './figures.js';

install();

export interface HttpSize {
  /** Requests of each round, one after another on one connection. */
  readonly requests: number;
  readonly rounds: number;
}

/** Makes so many requests, and returns how many bytes came back. */
function requests(count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const agent = new http.Agent({ keepAlive: true });
    const server = http.createServer((request, response) => {
      response.setHeader('Content-Type', 'text/plain');
      response.end(`hello ${request.url}`);
    });
    let bytes = 0;
    const ask = (left: number, port: number): void => {
      if (left === 0) {
        agent.destroy();
        server.close(() => resolve(bytes));
        return;
      }
      const request = http.get({ port, host: '127.0.0.1', path: `/${left}`, agent }, (response) => {
        response.on('data', (chunk: Buffer) => (bytes += chunk.length));
        response.on('end', () => setImmediate(() => ask(left - 1, port)));
      });
      request.on('error', reject);
    };
    server.listen(0, '127.0.0.1', () => ask(count, (server.address() as AddressInfo).port));
  });
}

/** @returns a hash of the work that was done */
function simulatedRequests(count: number): number {
  const loop = new EventLoop({
    drain,
    onError: (error) => {
      throw error;
    },
    onIdle: () => false,
    onBudget: () => {},
    maxSteps: Infinity,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  scheduler.beginScope({ title: 'bench', rung: NODE, strategy: noDeviation });
  active.scheduler = scheduler;
  let bytes = 0;
  try {
    void requests(count).then((total) => (bytes = total));
    loop.run();
  } finally {
    scheduler.end();
    active.scheduler = undefined;
  }
  return mix(loop.digest, bytes);
}

export async function benchHttp(size: HttpSize): Promise<{ figures: Figure[]; work: string }> {
  const plain: number[] = [];
  const simulated: number[] = [];
  let work = 0;
  // The first round warms up.
  for (let i = 0; i <= size.rounds; i++) {
    const start = performance.now();
    await requests(size.requests);
    const middle = performance.now();
    work = simulatedRequests(size.requests);
    const end = performance.now();
    if (i === 0) continue;
    plain.push(((middle - start) * 1000) / size.requests);
    simulated.push(((end - middle) * 1000) / size.requests);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const figures = [
    figure({
      bench: 'http',
      figure: 'a request over loopback',
      value: median(plain),
      unit: 'µs',
    }),
    figure({
      bench: 'http',
      figure: 'a request in a simulation',
      value: median(simulated),
      unit: 'µs',
      against: { loopback: median(plain) },
      limit: 'at most 150 µs, and 1.5 x loopback',
    }),
  ];
  return { figures, work: (work >>> 0).toString(16) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      requests: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const { figures, work } = await benchHttp({
    requests: Number(values.requests),
    rounds: Number(values.rounds),
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
