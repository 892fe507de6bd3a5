/**
 * The first worker process of a sweep, started before anything else is loaded: it loads its own
 * code while the coordinator loads the project's settings, on the other core.
 *
 * It does not keep the command alive, and ends with it when nobody has taken it.
 */

import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';

/** The worker's entry file. */
export const entry = path.join(__dirname, '../worker/main.js');

let spare: ChildProcess | undefined;

export function startSpare(): void {
  spare = startProcess(entry);
  spare.on('error', () => undefined);
  hold(spare, 'unref');
}

/** The process that was started ahead, once, if it is still there. */
export function takeSpare(): ChildProcess | undefined {
  const taken = spare;
  spare = undefined;
  if (taken === undefined || !taken.connected || taken.exitCode !== null) return undefined;
  hold(taken, 'ref');
  return taken;
}

/** @param script an entry file */
export function startProcess(script: string): ChildProcess {
  return fork(script, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
    env: workerEnvironment(),
  });
}

/** The variables that ask `detsim/register` to replay are not for the workers of a sweep. */
function workerEnvironment(): NodeJS.ProcessEnv {
  const { DETSIM_SEED: _seed, DETSIM_REPLAY: _replay, ...environment } = process.env;
  return environment;
}

/** Whether the process keeps this one alive. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]();
  child.channel?.[how]();
  (child.stderr as Socket)[how]();
}
