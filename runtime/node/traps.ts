/**
 * The table of what cannot be simulated: which functions are trapped, and how.
 *
 * To import a module or make an agent, a socket or a channel is no call to the outside, so traps
 * stand where something is sent, opened or awaited. Synchronous reading of files passes, as module
 * loading needs it; synchronous writing passes too and is recorded.
 */

import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import inspector from 'node:inspector';
import net from 'node:net';
import readline from 'node:readline';
import readlinePromises from 'node:readline/promises';
import timers from 'node:timers';
import tls from 'node:tls';
import v8 from 'node:v8';
import vm from 'node:vm';
import workerThreads from 'node:worker_threads';
import { patch, patchConstructor } from './facade.js';
import { installFiles } from './files/install.js';
import {
  names,
  record,
  records,
  rejects,
  throws,
  throwsWhenMade,
  trapped,
  uncontrolled,
  type Trap,
} from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

export function installTraps(): void {
  if (!installFiles()) trapFiles();
  // What is in such a blob is read without any JavaScript.
  each(fs, 'fs', ['openAsBlob'], rejects);
  trapNetwork();
  trapKeys();
  trapProcesses();
  trapTerminal();
  each(v8, 'v8', ['getHeapSnapshot'], throws);
  each(vm, 'vm', ['measureMemory'], rejects);
  each(timers, 'timers', ['enroll', 'active', '_unrefActive'], throws);
  each(Atomics, 'Atomics', ['wait'], throws);
  each(process, 'process', ['dlopen'], throws);
}

function each(target: object, place: string, keys: readonly string[], trap: Trap): void {
  for (const key of keys) patch(target, key, `${place}.${key}`, trap(`${place}.${key}`));
}

/** Names of all functions of an object. */
function functions(target: object): string[] {
  return Reflect.ownKeys(target).filter(
    (key): key is string =>
      typeof key === 'string' &&
      key !== 'constructor' &&
      typeof Object.getOwnPropertyDescriptor(target, key)!.value === 'function',
  );
}

/** Functions that have a synchronous twin: these complete later. */
function twins(target: object): string[] {
  return functions(target).filter((key) => Object.hasOwn(target, `${key}Sync`));
}

const SYNCHRONOUS_READS = new Set(
  (
    'access exists fstat lstat stat statfs readFile read readv readdir readlink realpath opendir ' +
    'open close glob fsync fdatasync'
  )
    .split(' ')
    .map((name) => `${name}Sync`),
);

function trapFiles(): void {
  each(fs, 'fs', twins(fs), throws);
  each(fs, 'fs', ['watch', 'watchFile', 'createReadStream', 'createWriteStream'], throws);
  for (const name of ['ReadStream', 'WriteStream', 'FileReadStream', 'FileWriteStream']) {
    patchConstructor(fs, name, `fs.${name}`, throwsWhenMade(`fs.${name}`));
  }
  trapReading(fs.ReadStream.prototype, 'fs.ReadStream', 'reading from a file stream');
  each(fs.promises, 'fs.promises', ['watch', 'glob'], throws);
  each(fs.promises, 'fs.promises', functions(fs.promises), rejects);
  const writes = functions(fs).filter(
    (key) => key.endsWith('Sync') && !SYNCHRONOUS_READS.has(key) && key !== 'writeSync',
  );
  each(fs, 'fs', writes, records);
  patch(fs, 'openSync', 'fs.openSync', (real) =>
    recordsWhen(real, 'fs.openSync', ([, flags]) => opensForWriting(flags)),
  );
  patch(fs, 'writeSync', 'fs.writeSync', (real) =>
    recordsWhen(real, 'fs.writeSync', ([fd]) => fd !== 1 && fd !== 2),
  );
}

function opensForWriting(flags: unknown): boolean {
  const { O_WRONLY, O_RDWR, O_CREAT } = fs.constants;
  if (typeof flags === 'number') return (flags & (O_WRONLY | O_RDWR | O_CREAT)) !== 0;
  return typeof flags === 'string' && /[wa+]/.test(flags);
}

/** Lets pass, and records the calls that `condition` holds for. */
function recordsWhen(
  real: AnyFunction,
  call: string,
  condition: (args: unknown[]) => boolean,
): AnyFunction {
  return function trap(this: unknown, ...args: unknown[]) {
    const scheduler = condition(args) ? trapped(trap) : undefined;
    if (scheduler !== undefined) record(scheduler, call, trap, false);
    return apply(real, this, args) as unknown;
  };
}

function trapNetwork(): void {
  trapReading(net.Socket.prototype, 'net.Socket', 'reading from a socket or terminal');
  each(net, 'net', ['connect', 'createConnection'], names);
  each(tls, 'tls', ['connect'], names);
  each(http, 'http', ['request', 'get'], names);
  each(https, 'https', ['request', 'get'], names);
}

/** A stream that was opened before the simulation, standard input for instance: nothing comes. */
function trapReading(prototype: object, place: string, call: string): void {
  patch(prototype, '_read', `${place}._read`, (real) => {
    return function trap(this: { _handle?: { fd?: number }; fd?: number }, ...args: unknown[]) {
      const descriptor = this._handle?.fd ?? this.fd ?? -1;
      const scheduler = descriptor < 0 ? undefined : trapped(trap);
      if (scheduler === undefined) return apply(real, this, args) as unknown;
      record(scheduler, call, trap, true);
      return undefined;
    };
  });
}

/** What draws on chance that the seed does not decide. */
function trapKeys(): void {
  const generated = functions(crypto).filter((key) => /^generate.*Sync$/.test(key));
  each(crypto, 'crypto', generated, records);
  for (const name of ['DiffieHellman', 'DiffieHellmanGroup', 'ECDH'] as const) {
    each(crypto[name].prototype, `crypto.${name}`, ['generateKeys'], records);
  }
}

function trapProcesses(): void {
  const starters = functions(childProcess).filter((key) => /^[a-z]/.test(key));
  each(childProcess, 'child_process', starters, throws);
  // What `promisify` makes of `exec` and `execFile` calls the functions that it has kept.
  each(childProcess.ChildProcess.prototype, 'child_process.ChildProcess', ['spawn'], throws);
  each(cluster, 'cluster', ['fork'], throws);
  each(process, 'process', ['kill', 'send'], throws);
  each(inspector, 'inspector', ['open'], throws);
  each(inspector.Session.prototype, 'inspector.Session', ['connect', 'post'], throws);
  patchConstructor(workerThreads, 'Worker', 'worker_threads.Worker', throwsWhenMade('new Worker'));
}

/** Reading lines from standard input; from any other stream it is no call to the outside. */
function trapTerminal(): void {
  for (const [target, place] of [
    [readline, 'readline'],
    [readlinePromises, 'readline/promises'],
  ] as const) {
    const call = `${place}.createInterface on standard input`;
    patch(target, 'createInterface', `${place}.createInterface`, (real) => {
      return function trap(this: unknown, ...args: unknown[]) {
        const scheduler = readsStandardInput(args[0]) ? trapped(trap) : undefined;
        if (scheduler === undefined) return apply(real, this, args) as unknown;
        throw uncontrolled(scheduler, call, trap);
      };
    });
  }
}

function readsStandardInput(first: unknown): boolean {
  if (typeof first !== 'object' || first === null) return false;
  const input = 'input' in first ? first.input : first;
  return typeof input === 'object' && input !== null && 'fd' in input && input.fd === 0;
}
