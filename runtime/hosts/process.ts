/**
 * What of `process` belongs to a host: its environment variables, and its end.
 *
 * `process.env` is a view of the variables of the host that reads it. It is put in place when a
 * host with variables of its own is made, since a test runner may put the real object back.
 */

import process from 'node:process';
import { patch } from '../node/facade.js';
import type { Host } from '../node/host.js';
import { pristine } from '../node/pristine.js';
import { simulated } from '../node/simulated.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { processEnded } from './process-ended.js';

/** The host whose code runs now; undefined for the one that a simulation begins with. */
export function hostThatRuns(): Host | undefined {
  return simulated()?.current.task.host;
}

let ours: NodeJS.ProcessEnv | undefined;

/** Gives the code of hosts their own `process.env`. */
export function useOwnEnvironment(): void {
  const real = process.env;
  if (real === ours) return;
  const now = (): NodeJS.ProcessEnv => hostThatRuns()?.environment ?? real;
  ours = new Proxy(real, {
    get: (_, key) => Reflect.get(now(), key) as unknown,
    set: (_, key, value) => Reflect.set(now(), key, String(value)),
    has: (_, key) => Reflect.has(now(), key),
    deleteProperty: (_, key) => Reflect.deleteProperty(now(), key),
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(now(), key, descriptor),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(now(), key),
  });
  process.env = ours;
}

/** Ends the process of the host that runs, if it is one. It does not return then. */
export function exitFromHost(code: unknown): void {
  const host = hostThatRuns();
  if (host === undefined) return;
  if (!host.dead) host.onEnd?.(Number(code ?? process.exitCode ?? 0));
  throw processEnded;
}

/** `process.exit` in a host ends that host, and nothing else. */
export function installHostExit(): void {
  for (const name of ['exit', 'reallyExit', 'abort'] as const) {
    patch(process, name, `process.${name}`, (real: (...args: unknown[]) => unknown) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        exitFromHost(name === 'abort' ? 134 : args[0]);
        return Reflect.apply(name === 'exit' ? pristine.exit : real, process, args) as unknown;
      };
    });
  }
}

/**
 * An error that nobody has caught: when code of a host has thrown it, the process of that host
 * ends.
 * @returns whether it has been taken care of
 */
export function endsHost(scheduler: Scheduler, error: unknown): boolean {
  if (error === processEnded) return true;
  const { host } = scheduler.base.task;
  if (host === undefined) return false;
  if (!host.dead) host.onEnd?.(1, { value: error });
  return true;
}

/** Output of a host, each line behind its name. */
export function tagged(text: string): string {
  const host = hostThatRuns();
  if (host === undefined) return text;
  return text.replace(/^(?!$)/gm, `[${host.name}] `);
}
