/**
 * A real `redis-server` for benchmarks and tests: on a port of its own, with a folder of its own
 * and the append-only file on, so that it can be killed and started again.
 */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Whether there is such a program. */
export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

export class RedisServer {
  private readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-redis-'));
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Kills it as a machine that loses its power does, and starts it again. */
  async crash(): Promise<void> {
    await this.end();
    await this.run();
  }

  async stop(): Promise<void> {
    await this.end();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await closed;
  }

  private async run(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
    const kept = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
    this.child = spawn('redis-server', [...options, ...kept], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise<void>((resolve, reject) => {
      this.child!.stdout!.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('Ready to accept connections')) resolve();
      });
      this.child!.once('close', () => reject(new Error('redis-server did not start')));
    });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
