/**
 * Plain words for what detsim knows: rungs, counts, durations.
 */

import { RUNG_MEANING } from '../../runtime/explore/rung-meaning.js';
import type { RungName } from '../../runtime/kernel/rung.js';
import type { FailureKind } from '../sweep/protocol.js';
import type { Finding } from './model.js';

export { RUNG_MEANING };

type Meant = Pick<NonNullable<Finding['minimized']>, 'needs' | 'unconfirmable'>;

/** What has to be true for a finding to happen, and what it means where a test runner shows nothing. */
export function meaningOf({ kind, rung, minimized }: Finding): string {
  const condition = conditionOf(rung, minimized);
  if (kind !== 'unhandledRejection') return condition;
  return (
    `${condition} A rejection that nobody handles ends a Node process, though mocha passes ` +
    'over it.'
  );
}

/** The faults that a finding needs decide where it has some. */
function conditionOf(rung: RungName, minimized?: Meant): string {
  const { needs, unconfirmable } = minimized ?? { needs: [] };
  if (needs.length === 0) {
    if (rung !== 'node') return RUNG_MEANING[rung];
    const { node } = RUNG_MEANING;
    if (unconfirmable === undefined) return `${node.slice(0, -1)}: \`detsim confirm\` shows it.`;
    return `${node} \`detsim confirm\` cannot show it: ${unconfirmable}.`;
  }
  const also = rung === 'native' || rung === 'node' ? '' : ` ${RUNG_MEANING[rung]}`;
  return `It needs ${listOf(needs)}, which this sweep was told to try.${also}`;
}

/** `a`, `a and b`, `a, b and c` */
function listOf(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** What each kind of failure is called in front of its message. */
export const KIND_NAMES: Record<FailureKind, string> = {
  assertion: 'assertion failed',
  error: 'error',
  unhandledRejection: 'unhandled rejection',
  deadlock: 'deadlock',
  livelock: 'livelock',
  timeout: 'timeout',
  leak: 'leak',
  hang: 'hang',
  divergence: 'not deterministic',
};

/** `1 test`, `3 tests`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(n)} ${n === 1 ? noun : plural}`;
}

/** Breaks a text into lines of at most `width` columns, all but the first with a margin. */
export function wrap(text: string, width: number, margin: string): string[] {
  const lines: string[] = [];
  const start = /^ */.exec(text)![0];
  let line = start;
  for (const word of text.trim().split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = margin + word;
    } else line = line === start ? line + word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The same sentence with a capital, unless it begins with code. */
export function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** `12,345` */
export function formatNumber(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A wall-clock duration for people: `0.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
