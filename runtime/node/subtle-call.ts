/**
 * Calls Web Crypto synchronously. It has promises only, which the thread pool of the real process
 * settles, so the call is made in another thread while this one waits. Digests and HMACs, by far
 * the most frequent, have synchronous twins.
 *
 * The thread is started when it is first needed, once a process.
 */

import crypto, { KeyObject } from 'node:crypto';
import path from 'node:path';
import { types } from 'node:util';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { pristine } from './pristine.js';
import type { SubtleCall, SubtleOutcome, SubtleThreadData } from './subtle-thread.js';

/** A call that takes longer than this, in milliseconds, never ends. */
const PATIENCE = 120_000;

type Bytes = ArrayBuffer | ArrayBufferView;

/** Calls in the other thread, and waits. */
let callInThread: ((call: SubtleCall) => SubtleOutcome) | undefined;

/** @throws DataCloneError when an argument cannot go to the other thread */
export function callSubtle(method: string, args: unknown[]): SubtleOutcome {
  const value = twin(method, args);
  if (value !== undefined) return { value };
  callInThread ??= startThread();
  return callInThread({ method, args });
}

function startThread(): (call: SubtleCall) => SubtleOutcome {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const workerData: SubtleThreadData = { port: port2, answered };
  // Its output streams would be read from, and that by messages to this thread.
  const output = { stdout: true, stderr: true };
  const options = { workerData, transferList: [port2], execArgv: [], env: {}, ...output };
  new Worker(path.join(__dirname, 'subtle-thread.js'), options).unref();
  let calls = 0;
  return (call) => {
    port1.postMessage(call);
    if (pristine.atomicsWait(answered, 0, calls++, PATIENCE) === 'timed-out') {
      throw new Error('The thread that calls Web Crypto for detsim does not answer.');
    }
    return (receiveMessageOnPort(port1) as { message: SubtleOutcome }).message;
  };
}

/** The result of a call that has a synchronous twin; undefined for any other. */
function twin(method: string, args: unknown[]): unknown {
  const [algorithm, second, third, fourth] = args;
  const name = nameOf(algorithm).toLowerCase();
  if (method === 'digest' && /^sha-(1|256|384|512)$/.test(name) && isBytes(second)) {
    return bufferOf(crypto.createHash(name.replace('-', '')).update(viewOf(second)).digest());
  }
  if (name !== 'hmac') return undefined;
  if (method === 'sign') return hmac('sign', second, third);
  if (method !== 'verify' || !isBytes(third)) return undefined;
  const expected = hmac('verify', second, fourth);
  return expected === undefined ? undefined : Buffer.from(expected).equals(viewOf(third));
}

/** Not for a key that cannot be extracted: from Node 26 on a warning would be printed. */
function hmac(usage: 'sign' | 'verify', key: unknown, data: unknown): ArrayBuffer | undefined {
  if (!types.isCryptoKey(key) || !key.extractable || !isBytes(data)) return undefined;
  if (!key.usages.includes(usage)) return undefined;
  const { name, hash } = key.algorithm as { name: string; hash?: { name: string } };
  if (name !== 'HMAC' || hash === undefined) return undefined;
  const secret = KeyObject.from(key);
  const digest = crypto
    .createHmac(hash.name.replace('-', ''), secret)
    .update(viewOf(data))
    .digest();
  return bufferOf(digest);
}

function nameOf(algorithm: unknown): string {
  if (typeof algorithm === 'string') return algorithm;
  const name: unknown = (algorithm as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? name : '';
}

function isBytes(value: unknown): value is Bytes {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

function viewOf(bytes: Bytes): Uint8Array {
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

/** The result is a buffer of its own, as Web Crypto gives it. */
function bufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
