/**
 * What happens when code in a simulation calls what detsim cannot simulate: the call is recorded,
 * with its site, and never reaches the real world.
 *
 * A trap is a facade around one function. Outside a simulation, and for Node's module loader and
 * detsim itself, it is transparent.
 */

import { dirname, resolve, sep } from 'node:path';
import { UncontrolledError } from '../errors.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { siteAt, SourceSite, unknownSite } from '../tasks/sites.js';
import { pristine } from './pristine.js';
import { followed, simulated } from './simulated.js';

const { apply } = Reflect;
/** The folder of detsim's runtime, whose frames are nobody's calls. */
const RUNTIME = dirname(__dirname) + sep;

type AnyFunction = (...args: any[]) => any;

/** Makes the facade of one function; `call` is what a report calls it. */
export type Trap = (call: string) => (real: AnyFunction) => AnyFunction;

const calls = new Set<string>();

/** What all traps are called in reports. */
export function trapNames(): ReadonlySet<string> {
  return calls;
}

function listed(trap: Trap): Trap {
  return (call) => {
    calls.add(call);
    return trap(call);
  };
}

let passing = 0;
/** The call of a named function that is being made, with the number of its site if it is marked. */
let outermost:
  { readonly call: string; readonly named: AnyFunction; readonly mark: number } | undefined;

/** Runs `fn` with all traps open, for calls that detsim itself makes while a simulation runs. */
export function passThrough<T>(fn: () => T): T {
  passing++;
  try {
    return fn();
  } finally {
    passing--;
  }
}

/** Whether a call is detsim's own; see {@link passThrough}. */
export function isPassing(): boolean {
  return passing > 0;
}

/** The mark of the named function's call that is being made: its ticks are its own. */
export function markOfCall(): number {
  return outermost === undefined ? 0 : outermost.mark;
}

/** For functions that complete later, by a callback or an event: throws. */
export const throws: Trap = listed((call) => (real) => {
  return function trap(this: unknown, ...args: unknown[]) {
    const scheduler = trapped(trap);
    if (scheduler === undefined) return apply(real, this, args) as unknown;
    throw uncontrolled(scheduler, call, trap);
  };
});

/** For functions that return a promise: rejects. */
export const rejects: Trap = listed((call) => (real) => {
  return function trap(this: unknown, ...args: unknown[]) {
    const scheduler = trapped(trap);
    if (scheduler === undefined) return apply(real, this, args) as unknown;
    return pristine.Promise.reject(uncontrolled(scheduler, call, trap));
  };
});

/** For synchronous functions whose effect outlives the run, or that draw on chance: lets pass. */
export const records: Trap = listed((call) => (real) => {
  return function trap(this: unknown, ...args: unknown[]) {
    const scheduler = trapped(trap);
    if (scheduler !== undefined) record(scheduler, call, trap, false);
    return apply(real, this, args) as unknown;
  };
});

/**
 * For functions that do I/O by way of others: what they begin, at once or in a tick, has their
 * site, and a trap that they lead to has their name. Most calls lead to none, so the stack is left
 * alone until then.
 */
export const names: Trap = listed((call) => (real) => {
  return function named(this: unknown, ...args: unknown[]) {
    const scheduler = outermost === undefined && passing === 0 ? followed() : undefined;
    if (scheduler === undefined) return apply(real, this, args) as unknown;
    outermost = { call, named, mark: scheduler.siteMark };
    try {
      return apply(real, this, args) as unknown;
    } finally {
      outermost = undefined;
      scheduler.markSite(0);
    }
  };
});

/** For constructors: throws. To be used with `patchConstructor`. */
export function throwsWhenMade(call: string): (args: unknown[]) => unknown[] {
  calls.add(call);
  return function trap(args) {
    const scheduler = trapped(trap);
    if (scheduler !== undefined) throw uncontrolled(scheduler, call, trap);
    return args;
  };
}

/** The simulation that a trap catches a call for; undefined when the call may pass. */
export function trapped(trap: AnyFunction): Scheduler | undefined {
  const scheduler = simulated();
  if (scheduler === undefined || passing > 0) return undefined;
  return isModuleLoader(trap) ? undefined : scheduler;
}

/**
 * Records a call, and makes the error for it.
 * @param destination where it leads out of the simulation, if only that is wrong
 */
export function uncontrolled(
  scheduler: Scheduler,
  call: string,
  trap: AnyFunction,
  destination?: string,
): UncontrolledError {
  const { call: name, site } = record(scheduler, call, trap, true);
  return new UncontrolledError(name, site.position(), destination);
}

/** Records a call under the name and site of the outermost named function. */
export function record(
  scheduler: Scheduler,
  call: string,
  trap: AnyFunction,
  completesLater: boolean,
): { call: string; site: SourceSite } {
  const known =
    outermost === undefined
      ? { call, site: siteOf(scheduler.takeSite(), trap) }
      : { call: outermost.call, site: siteOf(siteAt(outermost.mark), outermost.named) };
  scheduler.recordUncontrolled(known.call, known.site, completesLater);
  return known;
}

/** Where the call stands: as marked, or else the innermost position outside Node and detsim. */
function siteOf(mark: SourceSite, trap: AnyFunction): SourceSite {
  if (mark !== unknownSite) return mark;
  const caller = callersOf(trap).find(isOutside);
  if (caller === undefined) return mark;
  return new SourceSite(caller.file, 'unknown', caller.line, caller.column, caller.fn, '', false);
}

function isOutside({ file }: Caller): boolean {
  return file !== '' && !file.startsWith('node:') && !resolve(file).startsWith(RUNTIME);
}

/** Node's loader goes through the public `fs` where it reads ES modules. */
function isModuleLoader(trap: AnyFunction): boolean {
  return callersOf(trap)[0]?.file.startsWith('node:internal/modules/') === true;
}

interface Caller {
  /** Relative to the working directory and posix where that is possible. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly fn: string;
}

/** The stack above `trap`, whoever else formats stacks in this process. */
function callersOf(trap: AnyFunction): Caller[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = 30;
    Error.prepareStackTrace = (_error, callSites) => callSites;
    Error.captureStackTrace(holder, trap);
    return holder.stack!.map((callSite) => ({
      file: relative(callSite.getFileName() ?? ''),
      line: callSite.getLineNumber() ?? 0,
      column: callSite.getColumnNumber() ?? 0,
      fn: callSite.getFunctionName() ?? '',
    }));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function relative(file: string): string {
  const path = file.startsWith('file://') ? decodeURIComponent(file.slice(7)) : file;
  const root = `${pristine.cwd()}/`;
  return (path.startsWith(root) ? path.slice(root.length) : path).replaceAll('\\', '/');
}
