/**
 * Values of command-line options: text in, a checked value out.
 *
 * Each throws a sentence that says what was given, what is expected and an example.
 */

import { UserError } from './errors.js';
import { MAX_SEED } from '../runtime/explore/plan.js';
import { RUNGS, type RungName } from '../runtime/kernel/rung.js';

/** The levels of isolation between trials, from the cheapest. */
export const ISOLATIONS = ['modules', 'all', 'process'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** A whole number, `least` or more. */
export function wholeNumber(option: string, least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new UserError(
        `${option} must be a whole number, ${least} or more, but it is "${text}".`,
      );
    }
    return value;
  };
}

/** A base seed for a sweep: decimal digits, or `random`. */
export function baseSeed(text: string): number | 'random' {
  if (text === 'random') return text;
  return seedBelow(text, MAX_SEED, '--seed', ' or "random"');
}

/** The seed of one trial, as a sweep printed it. */
export function trialSeed(text: string): number {
  return seedBelow(text, Number.MAX_SAFE_INTEGER, '--seed', '');
}

/**
 * A pattern for full titles; between slashes it may have flags.
 * @throws UserError when it is no regular expression
 */
export function titlePattern(text: string): RegExp {
  const [, pattern = text, flags] = /^\/(.*)\/([gimy]{0,4})$/.exec(text) ?? [];
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    throw new UserError(
      `--grep must be a regular expression, but "${text}" is none: ${(error as Error).message}. ` +
        'A backslash before a sign such as ( takes it as it is.',
    );
  }
}

function seedBelow(text: string, limit: number, option: string, also: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > limit) {
    throw new UserError(
      `${option} must be a whole number from 0 to ${limit}${also}, but it is "${text}". ` +
        'Failing seeds are printed at the end of a sweep, for instance --seed=847291.',
    );
  }
  return value;
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** A duration such as `30s`, `5m`, `1.5h` or `250ms`, in ms. */
export function duration(option: string): (text: string) => number {
  return (text) => {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
    if (match === null) {
      throw new UserError(
        `${option} must be a number with a unit (ms, s, m or h), for instance ${option}=30s, ` +
          `but it is "${text}".`,
      );
    }
    return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  };
}

/** A step by its number, or the `n`-th one at a source line. */
export type Break = { readonly step: number } | LineBreak;

export interface LineBreak {
  readonly file: string;
  readonly line: number;
  readonly n: number;
}

/** Where a debugger stops: a step's number, `file:line` or `file:line#n`. */
export function breakPlace(text: string): Break {
  if (/^[1-9]\d{0,14}$/.test(text)) return { step: Number(text) };
  const [, file, line, n = '1'] = /^(.+?):([1-9]\d{0,8})(?:#([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (file !== undefined) return { file, line: Number(line), n: Number(n) };
  throw new UserError(
    '--break must be the number of a step as `detsim trace view` prints it, for instance ' +
      '--break=24, or a source line and which of the steps there, for instance ' +
      `--break=src/account.ts:11#2, but it is "${text}".`,
  );
}

/** A port to listen on; 0 is any that is free. */
export function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new UserError(
    `--inspect-port must be a whole number from 0 to 65535, but it is "${text}".`,
  );
}

/** One of a list of words. */
export function oneOf<T extends string>(option: string, words: readonly T[]): (text: string) => T {
  return (text) => {
    const word = words.find((one) => one === text);
    if (word === undefined) {
      throw new UserError(`${option} must be one of ${words.join(', ')}, but it is "${text}".`);
    }
    return word;
  };
}

export function rungName(option: string): (text: string) => RungName {
  return oneOf(option, RUNGS);
}

/** A rate from 0 to 1. */
export function rate(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) || value > 1) {
      throw new UserError(
        `${option} must be a number from 0 to 1, for instance ${option}=0.1, but it is "${text}".`,
      );
    }
    return value;
  };
}

/** `true` or `false`. */
export function yesOrNo(option: string): (text: string) => boolean {
  return (text) => oneOf(option, ['true', 'false'] as const)(text) === 'true';
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
