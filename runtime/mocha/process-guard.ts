/**
 * Keeps a trial from ending or shouting over the process that runs it.
 *
 * `process.exit` and its like end the test and not the process; output is collected; an unhandled
 * rejection goes to the trial. Outside a trial each of them is Node's own.
 */

import { pristine } from '../node/pristine.js';

/** What a trial does with what its program does to the process. */
export interface TrialProcess {
  /** The program wants the process to end. It does not return. */
  exited(call: string): never;
  /** The program wrote to a standard stream. Returns whether it shall appear there. */
  wrote(stream: 'stdout' | 'stderr', text: string): boolean;
  unhandledRejection(reason: unknown, promise: unknown): void;
}

let trial: TrialProcess | undefined;

/** Begins or ends a trial. */
export function setTrialProcess(process: TrialProcess | undefined): void {
  trial = process;
}

let installed = false;

/** Puts the guards in place, once a process. */
export function installProcessGuard(): void {
  if (installed) return;
  installed = true;
  guardEndings();
  guardRejections();
  guardStream('stdout');
  guardStream('stderr');
}

function guardEndings(): void {
  const own = process as unknown as Record<string, (...args: any[]) => unknown>;
  for (const name of ['exit', 'reallyExit', 'abort']) {
    const original = name === 'exit' ? pristine.exit : own[name];
    own[name] = (...args: unknown[]) => {
      if (trial === undefined) return Reflect.apply(original, process, args);
      return trial.exited(`process.${name}(${args.join(', ')})`);
    };
  }
  const { kill } = process;
  process.kill = (pid, signal) => {
    if (trial === undefined || pid !== process.pid || signal === 0) return kill(pid, signal);
    return trial.exited(`process.kill(process.pid${signal === undefined ? '' : `, ${signal}`})`);
  };
}

/** Node reports an unhandled rejection by emitting it, from inside the drain of microtasks. */
function guardRejections(): void {
  const { emit } = process;
  process.emit = function (this: NodeJS.Process, event: string, ...args: any[]): boolean {
    if (trial === undefined || event !== 'unhandledRejection') {
      return Reflect.apply(emit, this, [event, ...args]) as boolean;
    }
    trial.unhandledRejection(args[0], args[1]);
    return true;
  } as typeof process.emit;
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
}

function textOf(chunk: unknown): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
}
