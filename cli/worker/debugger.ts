/**
 * Lets a debugger stop a replay at one step.
 *
 * The process waits until a debugger has come. At the step, breakpoints are set through the
 * engine's own protocol at every place of the project's compiled code; the first that is reached
 * stops the program in the user's code itself, and takes all of them away again. The simulation
 * runs within one callback of the real event loop and time in it is virtual, so a pause changes
 * nothing.
 */

import inspector, { Session, type Debugger } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { UserError } from '../errors.js';
import type { FromWorker, ReplayJob } from '../sweep/protocol.js';

const HOST = '127.0.0.1';

/** Captured before a simulation forbids them to the program. */
const { open, url, waitForDebugger } = inspector;
const { connect } = Session.prototype;
const post = Session.prototype.post as (
  this: Session,
  method: string,
  params: object,
  answer: (error: Error | null, result?: object) => void,
) => void;

/** Sends a message to the coordinator, and says when it is sent. */
export type Send = (message: FromWorker, sent?: () => void) => void;

/**
 * Runs under a debugger that stops at one step.
 * @param folder of the compiled files
 * @param run takes what is to be told of every step
 * @throws UserError when no debugger can come, or nothing was there to stop at
 */
export async function inspected<T>(
  { port, step }: NonNullable<ReplayJob['inspect']>,
  folder: string,
  send: Send,
  run: (watch: (step: number) => void) => Promise<T>,
): Promise<T> {
  await awaitDebugger(port, send);
  const stop = new StopInUserCode(folder);
  const result = await run((now) => {
    if (now === step) stop.arm();
  });
  if (!stop.end()) return result;
  throw new UserError(
    `The debugger did not stop: nothing of the project's code runs from step #${step} on. ` +
      'Give an earlier step.',
  );
}

/** Opens the inspector of this process, and waits until a debugger has attached. */
async function awaitDebugger(port: number, send: Send): Promise<void> {
  open(port, HOST);
  const address = url();
  if (address === undefined) {
    throw new UserError(
      `The debugger cannot listen on port ${port} of ${HOST}: it is in use, or not allowed. ` +
        'Give another one with --inspect-port=PORT; 0 takes one that is free.',
    );
  }
  // From the wait on this process sends nothing.
  await new Promise<void>((sent) => send({ type: 'inspector', address }, sent));
  waitForDebugger();
}

class StopInUserCode {
  private readonly session = new Session();
  private readonly scripts = new Map<string, Debugger.ScriptParsedEventDataType>();
  private readonly breakpoints: string[] = [];
  private armed = false;

  /** @param folder of the compiled files */
  constructor(folder: string) {
    const under = `${pathToFileURL(folder).href}/`;
    connect.call(this.session);
    this.session.on('Debugger.scriptParsed', ({ params }) => {
      if (!params.url.startsWith(under)) return;
      this.scripts.set(params.scriptId, params);
      if (this.armed) this.breakIn(params);
    });
    this.session.on('Debugger.paused', () => this.disarm());
    this.post('Debugger.enable');
  }

  /** The program stops where it next comes to code of the project. */
  arm(): void {
    this.armed = true;
    for (const script of this.scripts.values()) this.breakIn(script);
  }

  /** The run is over. @returns whether nothing has stopped the program since `arm` */
  end(): boolean {
    this.session.disconnect();
    return this.armed;
  }

  private disarm(): void {
    if (!this.armed) return;
    this.armed = false;
    for (const breakpointId of this.breakpoints) {
      this.post('Debugger.removeBreakpoint', { breakpointId });
    }
  }

  private breakIn({ scriptId }: Debugger.ScriptParsedEventDataType): void {
    const start = { scriptId, lineNumber: 0, columnNumber: 0 };
    const found = this.post<Debugger.GetPossibleBreakpointsReturnType>(
      'Debugger.getPossibleBreakpoints',
      { start },
    );
    for (const { type: _, ...location } of found?.locations ?? []) {
      const set = this.post<Debugger.SetBreakpointReturnType>('Debugger.setBreakpoint', {
        location,
      });
      if (set !== undefined) this.breakpoints.push(set.breakpointId);
    }
  }

  /** A session of one's own thread answers at once. */
  private post<T>(method: string, params: object = {}): T | undefined {
    let answer: T | undefined;
    post.call(this.session, method, params, (_error, result) => {
      answer = result as T;
    });
    return answer;
  }
}
