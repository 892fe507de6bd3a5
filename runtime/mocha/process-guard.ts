/**
 * Keeps a trial from ending or shouting over the process that runs it.
 *
 * `process.exit` and its like end the test and not the process; output is collected; an unhandled
 * rejection goes to the trial. Outside a trial each of them is Node's own.
 */

import Module from 'node:module';
import process from 'node:process';
import { exitFromHost } from '../hosts/process.js';
import { pristine } from '../node/pristine.js';
import { guardRejections, rejections } from '../node/rejections.js';

/** What a trial does with what its program does to the process. */
export interface TrialProcess {
  /** The program wants the process to end. It does not return. */
  exited(call: string): never;
  /** The program wrote to a standard stream. Returns whether it shall appear there. */
  wrote(stream: 'stdout' | 'stderr', text: string): boolean;
  unhandledRejection(reason: unknown, promise: unknown): void;
  /** Node evaluates a module: one of a package, since the loader evaluates those of the project. */
  loadsPackage(evaluate: () => void): void;
}

let trial: TrialProcess | undefined;

/** The streams with their guards, which a program may have replaced by a stub. */
const guards: { stream: NodeJS.WriteStream; write: Write }[] = [];

/** Begins or ends a trial. */
export function setTrialProcess(next: TrialProcess | undefined): void {
  trial = next;
  rejections.take =
    next === undefined ? undefined : (reason, promise) => next.unhandledRejection(reason, promise);
  for (const { stream, write } of guards) stream.write = write;
}

let installed = false;

/** Puts the guards in place, once a process. */
export function installProcessGuard(): void {
  if (installed) return;
  installed = true;
  guardEndings();
  guardRejections();
  guardLoading();
  guardStream('stdout');
  guardStream('stderr');
}

function guardEndings(): void {
  const own = process as unknown as Record<string, (...args: any[]) => unknown>;
  for (const name of ['exit', 'reallyExit', 'abort']) {
    const original = name === 'exit' ? pristine.exit : own[name];
    own[name] = (...args: unknown[]) => {
      if (trial === undefined) return Reflect.apply(original, process, args);
      exitFromHost(name === 'abort' ? 134 : args[0]);
      return trial.exited(`process.${name}(${args.join(', ')})`);
    };
  }
  const { kill } = process;
  process.kill = (pid, signal) => {
    if (trial === undefined || pid !== process.pid) return kill(pid, signal);
    if (signal === 0) return true;
    return trial.exited(`process.kill(process.pid${signal === undefined ? '' : `, ${signal}`})`);
  };
}

function guardLoading(): void {
  const prototype = Module.prototype as { load?(this: Module, file: string): void };
  const { load } = prototype;
  if (load === undefined) return;
  prototype.load = function (this: Module, file: string): void {
    if (trial === undefined) load.call(this, file);
    else trial.loadsPackage(() => load.call(this, file));
  };
}

type Write = NodeJS.WriteStream['write'];

function guardStream(name: 'stdout' | 'stderr'): void {
  const stream = process[name];
  const { write } = stream;
  stream.write = function (this: unknown, chunk: unknown, ...rest: unknown[]): boolean {
    if (trial !== undefined && !trial.wrote(name, textOf(chunk))) {
      const done = rest.find((argument) => typeof argument === 'function');
      if (done !== undefined) pristine.nextTick(done as () => void);
      return true;
    }
    return Reflect.apply(write, stream, [chunk, ...rest]) as boolean;
  } as Write;
  guards.push({ stream, write: stream.write });
}

function textOf(chunk: unknown): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
}
