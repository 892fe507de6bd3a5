/**
 * The effects of segments, as the site table of an instrumented file has them.
 */

import type { Effects } from '../kernel/effects.js';
import { hashString } from '../kernel/hash.js';

/**
 * Reads the text form, which the transformer writes.
 * @param file in which variables are that go by a position
 */
export function parseEffects(file: string, text: string): Effects {
  const [what, reads, writes] = text.split('\n');
  const hash = (name: string): number => hashString(name.includes('@') ? `${file} ${name}` : name);
  const names = (line: string): number[] => (line === '' ? [] : line.split('\t').map(hash));
  return {
    reads: names(reads),
    writes: names(writes),
    closed: what !== 'open',
    ends: what === 'closed ends',
  };
}

/** The names in the text form, as people call them. */
export function touchedNames(text: string): {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
} {
  const [, reads = '', writes = ''] = text.split('\n');
  const names = (line: string): string[] => (line === '' ? [] : line.split('\t').map(plainName));
  return { reads: names(reads), writes: names(writes) };
}

/** `balance@12` is `balance` to people, and `log@0 []` what is in `log`. */
function plainName(name: string): string {
  return name
    .replace(/^(?:export|global) /, '')
    .replace(/@\d+/, '')
    .replace(/ \[\]$/, '');
}
