/**
 * Names and addresses that a project says lie outside: a collector of metrics, an API of another
 * company. What asks for one of them gets what a machine without a way there gets, ENOTFOUND or
 * ENETUNREACH. Nothing real is ever asked: no seed could repeat its answer.
 */

import { unmapped } from './addresses.js';

export class Unreachable {
  private readonly patterns: readonly RegExp[];

  /** @param patterns names and addresses, with `*` for any part of them */
  constructor(patterns: readonly string[]) {
    this.patterns = patterns.map(patternOf);
  }

  has(name: string): boolean {
    const plain = unmapped(name.toLowerCase()).replace(/\.$/, '');
    return this.patterns.some((pattern) => pattern.test(plain));
  }
}

function patternOf(text: string): RegExp {
  const source = text.toLowerCase().replaceAll('.', '\\.').replaceAll('*', '.*');
  return new RegExp(`^${source}$`);
}

/** Whether a text is such a pattern, and no URL, port or path. */
export function isHostPattern(text: string): boolean {
  return /^(?:[\w*.-]+|[\da-f:.*]*:[\da-f:.*]*:[\da-f:.*]*)$/i.test(text);
}
