/**
 * Puts the simulated file system beneath Node's own JavaScript.
 *
 * `fs`, `fs/promises`, streams and the rest call functions of an internal object, the binding,
 * which `process.binding` gives as well. Those functions are replaced; all that stands above stays
 * Node's: what is checked, how a call is taken apart, which errors and events follow.
 */

import { onPlainNode } from '../plain-node.js';
import { derive, pristine } from '../pristine.js';
import { simulated } from '../simulated.js';
import { isPassing, uncontrolled } from '../uncontrolled.js';
import { calls, makeDirectory, synchronous, type Call } from './calls.js';
import { SystemFailure } from './failure.js';
import { FileHandle } from './file-handle.js';
import type { FileSystem } from './file-system.js';
import { isModuleLoad } from './module-loads.js';
import { beginPlainly } from './plain-calls.js';
import { makeDirectories } from './recursive.js';
import {
  callLater,
  callNow,
  completeRequest,
  filesOf,
  promiseLater,
  promiseNow,
  type Request,
} from './requests.js';

const { apply, construct } = Reflect;

type AnyFunction = (...args: any[]) => any;

/** An object that Node keeps for itself; undefined where it does not give it away. */
export function nodeBinding(name: string): Record<string | symbol, unknown> | undefined {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    const { binding } = process as unknown as { binding(name: string): Record<string, unknown> };
    return binding.call(process, name);
  } catch {
    return undefined;
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

/** The files of the simulation that the call belongs to; undefined when it is for the real disk. */
export function filesNow(): FileSystem | undefined {
  const scheduler = simulated();
  return scheduler === undefined || isPassing() ? undefined : filesOf(scheduler);
}

/** Replaces the functions of the binding. Returns whether there is a binding to be had. */
export function installBinding(): boolean {
  const binding = nodeBinding('fs');
  if (binding === undefined || typeof binding.open !== 'function') return false;
  const usePromises = binding.kUsePromises;
  for (const [name, call] of Object.entries(calls)) replaceCall(binding, name, call, usePromises);
  replaceMkdir(binding, usePromises);
  for (const [name, call] of Object.entries(synchronous)) replaceSynchronous(binding, name, call);
  replaceFileHandle(binding);
  return true;
}

function replaceCall(
  binding: Record<string | symbol, unknown>,
  name: string,
  call: Call,
  usePromises: unknown,
): void {
  const real = binding[name] as AnyFunction | undefined;
  if (real === undefined) return;
  const { arity } = call;
  const wrap =
    name === 'openFileHandle'
      ? (files: FileSystem, value: unknown) => new FileHandle(files, value as number)
      : undefined;
  const replaced = function (this: unknown, ...args: any[]): unknown {
    const files = filesNow();
    if (files === undefined) return plainly(this, real, call, args, usePromises);
    const request = args[arity] as unknown;
    if (call.descriptor && isStandard(files, args[0])) {
      return onStandardStream(this, real, files, call, args, usePromises, replaced);
    }
    // Node refuses it before it asks for anything.
    if (call.descriptor && request === undefined && !isDescriptor(args[0])) {
      return apply(real, this, args) as unknown;
    }
    if (request === undefined) return now(binding, files, name, call, args, replaced);
    if (request !== usePromises) {
      callLater(files, call, args, 'FSREQCALLBACK', (error, value) =>
        completeRequest(request as Request, error, value),
      );
      return undefined;
    }
    if (wrap === undefined) return promiseLater(files, call, args);
    const loads = isModuleLoad(args);
    const promise = loads ? promiseNow(files, call, args) : promiseLater(files, call, args);
    return derive(promise, (value) => {
      if (loads) files.descriptors.get(value as number).loads = true;
      return wrap(files, value);
    });
  };
  binding[name] = replaced;
}

/** A synchronous call. Some pass an object that takes the error. */
function now(
  binding: Record<string | symbol, unknown>,
  files: FileSystem,
  name: string,
  call: Call,
  args: unknown[],
  hide: AnyFunction,
): unknown {
  const context = args[call.arity + 1];
  if (typeof context === 'object' && context !== null) {
    try {
      return call.act(files, args);
    } catch (error) {
      if (!(error instanceof SystemFailure)) throw error;
      const { errno, code } = error;
      Object.assign(context, { errno, code, syscall: call.syscall });
      return undefined;
    }
  }
  if (name === 'fstat' && context === true) {
    try {
      return call.act(files, args);
    } catch (error) {
      if (error instanceof SystemFailure) return undefined;
      throw error;
    }
  }
  const value = callNow(files, call, args, hide);
  return name.endsWith('stat') ? shared(binding, value, args[1] === true) : value;
}

/** Node's JavaScript also looks at the array in which the real binding leaves what it found. */
function shared(
  binding: Record<string | symbol, unknown>,
  value: unknown,
  bigint: boolean,
): unknown {
  const array = binding[bigint ? 'bigintStatValues' : 'statValues'];
  if (value === undefined || !ArrayBuffer.isView(array)) return value;
  (array as Float64Array).set(value as Float64Array);
  return value;
}

// ---- directories --------------------------------------------------------------------------------

function replaceMkdir(binding: Record<string | symbol, unknown>, usePromises: unknown): void {
  const real = binding.mkdir as AnyFunction;
  const replaced = function (this: unknown, ...args: any[]): unknown {
    const [path, mode, recursive, request] = args as [string, number, boolean, unknown];
    const files = filesNow();
    if (files === undefined) {
      const call = { ...makeDirectory, arity: 3 };
      return plainly(this, real, call, args, usePromises);
    }
    if (!recursive) {
      if (request === undefined) return callNow(files, makeDirectory, [path, mode], replaced);
      if (request === usePromises) return promiseLater(files, makeDirectory, [path, mode]);
      callLater(files, makeDirectory, [path, mode], 'FSREQCALLBACK', (error, value) =>
        completeRequest(request as Request, error, value),
      );
      return undefined;
    }
    return makeDirectories(files, path, mode, request, usePromises, replaced);
  };
  binding.mkdir = replaced;
}

// ---- functions that are only synchronous --------------------------------------------------------

function replaceSynchronous(
  binding: Record<string | symbol, unknown>,
  name: string,
  call: Call,
): void {
  const real = binding[name] as AnyFunction | undefined;
  if (real === undefined) return;
  binding[name] = function replaced(this: unknown, ...args: any[]): unknown {
    const files = filesNow();
    if (files === undefined || isStandard(files, args[0]))
      return apply(real, this, args) as unknown;
    const isDescriptor = typeof args[0] === 'number';
    if (!isDescriptor) return callNow(files, call, args, replaced);
    const syscall = name.startsWith('read') ? 'read' : 'write';
    return callNow(files, { ...call, syscall, paths: 0 }, args, replaced);
  };
}

// ---- handles ------------------------------------------------------------------------------------

/** `new FileHandle(descriptor)`, and on plain Node the closing of real ones. */
function replaceFileHandle(binding: Record<string | symbol, unknown>): void {
  const Real = binding.FileHandle as (new (...args: unknown[]) => object) & AnyFunction;
  const prototype = Real.prototype as { close: AnyFunction };
  const { close } = prototype;
  prototype.close = function (this: object): unknown {
    const scheduler = onPlainNode();
    if (scheduler === undefined) return apply(close, this, []) as unknown;
    return plainPromise(calls.close, () => apply(close, this, []) as Promise<unknown>);
  };
  binding.FileHandle = function (...args: unknown[]): object {
    const files = filesNow();
    if (files === undefined) return construct(Real, args, Real) as object;
    return new FileHandle(files, args[0] as number);
  };
  (binding.FileHandle as AnyFunction).prototype = prototype;
}

// ---- standard streams ---------------------------------------------------------------------------

function isDescriptor(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < 2 ** 31;
}

/** Standard input, output and error belong to the process, not to its disk. */
function isStandard(files: FileSystem, descriptor: unknown): boolean {
  return (
    typeof descriptor === 'number' &&
    descriptor >= 0 &&
    descriptor <= 2 &&
    !files.descriptors.has(descriptor)
  );
}

function onStandardStream(
  self: unknown,
  real: AnyFunction,
  files: FileSystem,
  call: Call,
  args: unknown[],
  usePromises: unknown,
  trap: AnyFunction,
): unknown {
  const { arity } = call;
  const request = args[arity];
  if (request === undefined) return apply(real, self, args) as unknown;
  if (args[0] === 0)
    throw uncontrolled(files.scheduler, `fs.${call.syscall} of standard input`, trap);
  const direct: Call = { ...call, act: () => apply(real, self, args.slice(0, arity)) as unknown };
  if (request === usePromises) return promiseLater(files, direct, args);
  callLater(files, direct, args, 'FSREQCALLBACK', (error, value) =>
    completeRequest(request as Request, error, value),
  );
  return undefined;
}

// ---- plain Node ---------------------------------------------------------------------------------

/** The real operation; in a run on plain Node that follows a schedule, when its time has come. */
function plainly(
  self: unknown,
  real: AnyFunction,
  call: Call,
  args: unknown[],
  usePromises: unknown,
): unknown {
  const request = args[call.arity];
  const scheduler = request === undefined || isPassing() ? undefined : onPlainNode();
  if (scheduler === undefined) return apply(real, self, args) as unknown;
  if (request === usePromises) {
    return plainPromise(call, () => apply(real, self, args) as Promise<unknown>);
  }
  const target = request as Request;
  beginPlainly(scheduler, 'FSREQCALLBACK', call.least, (complete) => {
    const { oncomplete } = target;
    target.oncomplete = function (this: Request, ...results: [unknown, unknown?]) {
      complete(() => void apply(oncomplete, this, results));
    };
    apply(real, self, args);
  });
  return undefined;
}

function plainPromise(call: Call, begin: () => Promise<unknown>): Promise<unknown> {
  return new pristine.Promise((resolve, reject) => {
    beginPlainly(onPlainNode()!, 'FSREQPROMISE', call.least, (complete) => {
      derive(
        begin(),
        (value) => complete(() => resolve(value)),
        (error: Error) => complete(() => reject(error)),
      );
    });
  });
}
