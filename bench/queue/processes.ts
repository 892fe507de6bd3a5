/**
 * The processes of a sweep on a queue: coordinator and workers, as a person starts them.
 *
 * A worker stands for a machine with one core. A process of Node alone keeps more than one core
 * busy, since V8 compiles and collects garbage in threads of its own; so where there is `taskset`
 * (Linux), each worker is kept on one core. `taskset` becomes the program that it starts, so that a
 * kill reaches the worker.
 */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const detsim = path.join(__dirname, '../../cli/bin.js');

/** Whether a process can be kept on one core. */
export const pins = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** @param url of the Redis */
export function startSweep(root: string, url: string, trials: number): ChildProcess {
  return start(root, ['sweep', '--no-check', `--queue=${url}`, `--trials=${trials}`]);
}

/** @param index which of the workers it is: workers with different ones have different cores */
export function startWorker(root: string, url: string, index: number): ChildProcess {
  const core = String(index % availableParallelism());
  const pinned = pins ? ['taskset', '--cpu-list', core] : [];
  return start(root, ['worker', `--queue=${url}`, '--workers=1'], pinned);
}

/** @param under what the process is started by */
export function start(
  cwd: string,
  args: readonly string[],
  under: readonly string[] = [],
): ChildProcess {
  const [command, ...rest] = [...under, process.execPath, detsim, ...args];
  return spawn(command, rest, { cwd, stdio: 'ignore' });
}

/**
 * How long the process that runs a worker's trials was busy, or waited for a core, in ms; NaN where
 * there is no Linux. The rest of the time it had nothing to do.
 */
export function busyMs(worker: ChildProcess): number {
  try {
    const of = (pid: number | string, name: string): string =>
      fs.readFileSync(`/proc/${pid}/task/${pid}/${name}`, 'utf8');
    const [child] = of(worker.pid!, 'children').split(' ');
    const [ran, waited] = of(child, 'schedstat').split(' ').map(Number);
    return (ran + waited) / 1e6;
  } catch {
    return NaN;
  }
}

const ends = new WeakMap<ChildProcess, Promise<void>>();

/** Waits until a process has ended. */
export function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  let end = ends.get(child);
  if (end === undefined) {
    end = once(child, 'close').then(() => undefined);
    ends.set(child, end);
  }
  return end;
}
