/**
 * Commands a second of the Redis stand-in: inside a simulation, and on real loopback beside an
 * installed redis-server.
 *
 *     node dist/bench/redis.js [--json] [--commands=5000] [--rounds=5]
 *
 * One connection sends a command when the last one is answered; in pipelines, a hundred at once.
 * All are measured in turn, round by round, and the figures are medians of the rounds.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { parseArgs } from 'node:util';
import { Sim } from '../index.js';
import { RedisServer } from '../standins/redis/index.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { onItsOwn } from './on-its-own.js';

const PIPELINE = 100;
const REQUEST = '*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n';

interface Rates {
  readonly single: number;
  readonly pipelined: number;
}

/** Sends requests, so many at once, until so many are answered; returns the last reply. */
async function load(port: number, commands: number, atOnce: number): Promise<string> {
  const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
  await once(socket, 'connect');
  const last = await new Promise<string>((resolve) => {
    let answered = 0;
    let open = 0;
    const send = (): void => {
      open = Math.min(atOnce, commands - answered);
      socket.write(REQUEST.repeat(open));
    };
    socket.on('data', (text: string) => {
      const replies = text.split('\n').length - 1;
      answered += replies;
      open -= replies;
      if (answered >= commands) resolve(text.trim().split('\r\n').at(-1)!);
      else if (open === 0) send();
    });
    send();
  });
  socket.destroy();
  return last;
}

/** Commands a second, by the real clock. */
async function rate(commands: number, run: () => unknown): Promise<number> {
  const start = process.hrtime.bigint();
  await run();
  return commands / (Number(process.hrtime.bigint() - start) / 1e9);
}

/** What has happened in a simulation is over when it returns. */
function simulated(commands: number, atOnce: number): string {
  let last = '';
  const sim = new Sim({ seed: 0 });
  sim.runBody(async () => {
    const server = new RedisServer();
    await server.listen();
    last = await load(6379, commands, atOnce);
    await server.close();
  });
  return last;
}

async function measure(
  commands: number,
  run: (atOnce: number) => Promise<string>,
  work: string[],
): Promise<Rates> {
  const one = async (atOnce: number): Promise<number> =>
    rate(commands, async () => work.push(await run(atOnce)));
  return { single: await one(1), pipelined: await one(PIPELINE) };
}

/** A port with an installed redis-server behind it, or undefined. */
async function realServer(): Promise<{ port: number; stop: () => void } | undefined> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as net.AddressInfo;
  probe.close();
  const options = ['--port', String(port), '--save', '', '--bind', '127.0.0.1'];
  const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
  const failed = once(child, 'error').then(() => false);
  const ready = (async () => {
    for await (const chunk of child.stdout) {
      if (String(chunk).includes('Ready to accept connections')) return true;
    }
    return false;
  })();
  return (await Promise.race([failed, ready])) ? { port, stop: () => child.kill() } : undefined;
}

export async function benchRedis(
  commands: number,
  rounds: number,
): Promise<{ figures: Figure[]; work: string }> {
  const real = await realServer();
  const server = new RedisServer();
  await server.listen(0);
  const results: { inside: Rates; loopback: Rates; redis?: Rates }[] = [];
  const work: string[] = [];
  const ofRedis: string[] = [];
  // The first round warms up.
  for (let i = 0; i <= rounds; i++) {
    const inside = await measure(commands, (n) => onItsOwn(() => simulated(commands, n)), work);
    const { port } = server.address()!;
    const loopback = await measure(commands, (n) => load(port, commands, n), work);
    const redis = real && (await measure(commands, (n) => load(real.port, commands, n), ofRedis));
    if (i > 0) results.push({ inside, loopback, redis });
  }
  real?.stop();
  await server.close();
  return { figures: figuresOf(results), work: work.join(' ') };
}

function figuresOf(rounds: readonly { inside: Rates; loopback: Rates; redis?: Rates }[]): Figure[] {
  const of = (name: 'inside' | 'loopback' | 'redis', kind: keyof Rates): number =>
    median(rounds.map((round) => round[name]![kind]));
  return (['single', 'pipelined'] as const).flatMap((kind) => {
    const redis: Record<string, number> =
      rounds[0].redis === undefined ? {} : { 'redis-server': of('redis', kind) };
    const how = kind === 'single' ? 'one by one' : `${PIPELINE} at once`;
    const one = (name: 'inside' | 'loopback', title: string): Figure =>
      figure({
        bench: 'redis',
        figure: `${title}, ${how}`,
        value: of(name, kind),
        unit: '/s',
        against: name === 'inside' ? { loopback: of('loopback', kind), ...redis } : redis,
      });
    return [one('inside', 'in a simulation'), one('loopback', 'on loopback')];
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      commands: { type: 'string', default: '5000' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const { figures } = await benchRedis(Number(values.commands), Number(values.rounds));
  printFigures(figures, values.json);
}

if (require.main === module) void main();
