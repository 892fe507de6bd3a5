/**
 * Says where code is that does not come back.
 *
 * A thread beside the worker watches a counter that every sign of life moves. When it stands still
 * the thread stops the main thread in the debugger, wherever that is, and writes its stack straight
 * to standard error: nothing in the main thread runs any more. Only a range that has lost a worker
 * before is watched, since a debugger makes code slower.
 */

import { writeSync } from 'node:fs';
import { Session, type Debugger } from 'node:inspector';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Begins the line of standard error that holds the stack. */
export const STACK_MARK = 'detsim-stack: ';

interface Watch {
  readonly counter: Int32Array;
  readonly patienceMs: number;
}

/** Starts to watch this thread. */
export class Lookout {
  private readonly counter = new Int32Array(new SharedArrayBuffer(4));
  private readonly thread: Worker;

  /** @param patienceMs how long the counter may stand still */
  constructor(patienceMs: number) {
    const workerData: Watch = { counter: this.counter, patienceMs };
    this.thread = new Worker(__filename, { workerData });
    this.thread.unref();
    this.thread.on('error', () => undefined);
  }

  /** A sign of life. */
  beat(): void {
    Atomics.add(this.counter, 0, 1);
  }

  end(): void {
    void this.thread.terminate();
  }
}

/** Finds the stack in what a worker wrote to standard error. */
export function stackIn(stderr: string): string {
  const line = stderr.split('\n').find((one) => one.startsWith(STACK_MARK));
  if (line === undefined) return '';
  try {
    return JSON.parse(line.slice(STACK_MARK.length)) as string;
  } catch {
    return '';
  }
}

function watch({ counter, patienceMs }: Watch): void {
  const session = new Session();
  session.connectToMainThread();
  const scripts = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    const stack = params.callFrames.map((frame) => describe(frame, scripts)).join('\n');
    writeSync(2, `\n${STACK_MARK}${JSON.stringify(stack)}\n`);
  });
  session.post('Debugger.enable');
  let before = -1;
  setInterval(() => {
    const now = Atomics.load(counter, 0);
    if (now === before) session.post('Debugger.pause');
    before = now;
  }, patienceMs);
}

function describe(
  { functionName, location, url }: Debugger.CallFrame,
  scripts: ReadonlyMap<string, string>,
): string {
  const file = url || (scripts.get(location.scriptId) ?? '<anonymous>');
  const position = `${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
  return `    at ${functionName || '<anonymous>'} (${position})`;
}

if (!isMainThread && (workerData as Partial<Watch> | null)?.counter !== undefined) {
  watch(workerData as Watch);
}
