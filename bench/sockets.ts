/**
 * What simulated connections cost, beside real ones on loopback, and how much memory many take.
 *
 *     node dist/bench/sockets.js [--json] [--connections=10000] [--trips=5000]
 *
 * The simulated and the real rounds alternate, in one process; medians are reported.
 */

import net from 'node:net';
import { parseArgs } from 'node:util';
import { noDeviation } from '../runtime/kernel/choice.js';
import { EventLoop } from '../runtime/kernel/event-loop.js';
import { NODE } from '../runtime/kernel/rung.js';
import { drain } from '../runtime/node/drain.js';
import { install } from '../runtime/node/install.js';
import { active, Scheduler } from '../runtime/tasks/scheduler.js';
import { figure, median, printFigures, type Figure } from './figures.js';

install();

export interface SocketsSize {
  /** Connections that are open at once. */
  readonly connections: number;
  /** Round trips of one byte, and connections one after another, in each round. */
  readonly trips: number;
  readonly rounds: number;
}

const MIB = 1024 * 1024;
const now = process.hrtime.bigint;

/** A program that is over when it calls back. */
type Program = (done: () => void) => void;

/** Runs a program in a simulation to the end. */
function simulate(program: Program): number {
  const loop: EventLoop = new EventLoop({
    drain,
    onError: (error) => {
      throw error as Error;
    },
    onIdle: () => false,
    onBudget: () => {},
    maxSteps: Infinity,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  scheduler.beginScope({ title: 'bench', rung: NODE, strategy: noDeviation });
  active.scheduler = scheduler;
  try {
    let over = false;
    program(() => (over = true));
    loop.run();
    if (!over) throw new Error('The simulated program came to a stop.');
    return loop.steps;
  } finally {
    scheduler.ended = true;
    active.scheduler = undefined;
  }
}

/** The server and client of one program. */
function withServer(use: (port: number, close: () => void) => void, done: () => void): void {
  const server = net.createServer((socket) => socket.pipe(socket));
  server.listen(0, '127.0.0.1', () => {
    use((server.address() as net.AddressInfo).port, () => server.close(done));
  });
}

const roundTrips =
  (count: number): Program =>
  (done) =>
    withServer((port, close) => {
      let left = count;
      const client = net.connect(port, '127.0.0.1', () => client.write('x'));
      client.on('data', () => (--left > 0 ? client.write('x') : client.end(close)));
    }, done);

const connections =
  (count: number): Program =>
  (done) =>
    withServer((port, close) => {
      let left = count;
      const next = (): void => {
        if (left-- === 0) return close();
        const client = net.connect(port, '127.0.0.1', () => client.end());
        client.resume().on('close', next);
      };
      next();
    }, done);

/** Memory that many open connections take, in MiB. */
function memoryOf(count: number): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage.rss();
  let most = 0;
  simulate((done) =>
    withServer((port, close) => {
      const clients: net.Socket[] = [];
      let open = 0;
      for (let i = 0; i < count; i++) {
        const client = net.connect(port, '127.0.0.1', () => client.write('x'));
        client.once('data', () => {
          if (++open < count) return;
          active.scheduler = undefined;
          most = process.memoryUsage.rss();
          active.scheduler = scheduler;
          for (const one of clients) one.destroy();
          close();
        });
        clients.push(client);
      }
      const { scheduler } = active;
    }, done),
  );
  return (most - before) / MIB;
}

async function realNanoseconds(program: Program, count: number): Promise<number> {
  const start = now();
  await new Promise<void>((resolve) => program(resolve));
  return Number(now() - start) / count;
}

function simulatedNanoseconds(program: Program, count: number): [number, number] {
  const start = now();
  const steps = simulate(program);
  return [Number(now() - start) / count, steps];
}

export async function benchSockets(
  size: SocketsSize,
): Promise<{ figures: Figure[]; work: string }> {
  const { trips, rounds } = size;
  const memory = memoryOf(size.connections);
  const figures = [
    figure({
      bench: 'sockets',
      figure: `${size.connections} connections at once`,
      value: memory,
      unit: 'MiB',
      limit: 'at most 500 MiB for 10,000',
    }),
  ];
  let work = 0;
  for (const [name, program] of [
    ['a round trip of one byte', roundTrips(trips)],
    ['a connection, opened and closed', connections(trips)],
  ] as const) {
    const simulated: number[] = [];
    const real: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const [nanoseconds, steps] = simulatedNanoseconds(program, trips);
      simulated.push(nanoseconds / 1000);
      work += steps;
      real.push((await realNanoseconds(program, trips)) / 1000);
    }
    const against = { 'real loopback': median(real) };
    figures.push(
      figure({ bench: 'sockets', figure: name, value: median(simulated), unit: 'µs', against }),
    );
  }
  return { figures, work: work.toString(16) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      connections: { type: 'string', default: '10000' },
      trips: { type: 'string', default: '5000' },
    },
  });
  const { figures, work } = await benchSockets({
    connections: Number(values.connections),
    trips: Number(values.trips),
    rounds: 5,
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
