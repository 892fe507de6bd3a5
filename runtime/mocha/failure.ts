/**
 * Turns whatever was thrown into a bounded, plain description.
 *
 * Programs throw anything: strings, frozen objects, getters that throw, cycles, megabytes. Nothing
 * here calls into a thrown value without a net, and no text is longer than its bound.
 */

import { inspect } from 'node:util';
import { DeadlockError, LivelockError } from '../errors.js';
import type { StackMapper } from './stack-mapper.js';
import type { Failure, FailureKind } from './types.js';

const MAX_MESSAGE = 8_000;
const MAX_STACK = 16_000;
const MAX_VALUE = 4_000;

/** Describes a failure. `rejection`: nobody handled it in a promise. */
export function describeFailure(
  error: unknown,
  stacks: StackMapper,
  details: { readonly hook?: string; readonly rejection?: boolean } = {},
): Failure {
  const name = textOf(error, 'name') ?? 'Error';
  const message = messageOf(error);
  stacks.mapError(error);
  const stack = bounded(textOf(error, 'stack') ?? '', MAX_STACK);
  return {
    kind: kindOf(error, name, details.rejection === true),
    name: bounded(name, 200),
    message: bounded(stacks.relative(message), MAX_MESSAGE),
    stack,
    ...(details.hook === undefined ? {} : { hook: details.hook }),
    ...siteIn(error instanceof DeadlockError ? error.blocked[0]?.position : stacks.site(stack)),
    error,
    ...comparison(error),
  };
}

function siteIn(site: string | undefined): { site?: string } {
  return site === undefined ? {} : { site };
}

function kindOf(error: unknown, name: string, rejection: boolean): FailureKind {
  if (error instanceof DeadlockError) return 'deadlock';
  if (error instanceof LivelockError) return 'livelock';
  const code = read(error, 'code');
  if (code === 'ERR_MOCHA_TIMEOUT' || code === 'ERR_TEST_TIMEOUT') return 'timeout';
  if (code === 'ERR_ASSERTION' || name.startsWith('AssertionError') || isMatcherError(error)) {
    return 'assertion';
  }
  return rejection ? 'unhandledRejection' : 'error';
}

/** What jest's `expect` throws has no name and no code of its own. */
function isMatcherError(error: unknown): boolean {
  return read(error, 'matcherResult') !== undefined;
}

function messageOf(error: unknown): string {
  const message = textOf(error, 'message');
  if (message !== undefined) return message;
  return typeof error === 'string' ? error : safeInspect(error);
}

/** What a reporter compares, when the error carries it; only what is plain and small. */
function comparison(error: unknown): { expected?: unknown; actual?: unknown } {
  if (typeof error !== 'object' || error === null) return {};
  const found: { expected?: unknown; actual?: unknown } = {};
  for (const key of ['expected', 'actual'] as const) {
    if (!safely(() => key in error)) continue;
    const value = read(error, key);
    const simple = typeof value !== 'object' && typeof value !== 'function';
    const small = typeof value !== 'string' || value.length <= MAX_VALUE;
    found[key] = simple && small ? value : bounded(safeInspect(value), MAX_VALUE);
  }
  return found;
}

/**
 * An error that stands for a value which mocha cannot present, because looking at it throws.
 */
export function presentable(thrown: unknown): Error {
  return new Error(`${bounded(safeInspect(thrown), 500)} was thrown, and cannot be shown in full`);
}

function textOf(value: unknown, key: string): string | undefined {
  const found = read(value, key);
  return typeof found === 'string' ? found : undefined;
}

function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function')
    return undefined;
  return safely(() => (value as Record<string, unknown>)[key]);
}

function safeInspect(value: unknown): string {
  const options = { depth: 2, maxArrayLength: 20, maxStringLength: 1000, breakLength: Infinity };
  return safely(() => inspect(value, { ...options, customInspect: false })) ?? '(not printable)';
}

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
