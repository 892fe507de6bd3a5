/**
 * What `detsim replay` shows of one trial.
 */

import type { Replay } from '../sweep/investigation.js';
import { codeFrame, framesOf, parsePosition } from './code-frame.js';
import type { Divergence } from './model.js';
import type { Colors } from './style.js';
import { capitalized, count, KIND_NAMES, wrap } from './words.js';

/** A seed may deviate a hundred times; a minimized schedule does so a few times. */
const SENTENCES_SHOWN = 12;

export interface ReplayView {
  readonly root: string;
  readonly colors: Colors;
  readonly difference: Divergence | undefined;
}

export function formatReplay(replay: Replay, view: ReplayView): string {
  const { colors: c } = view;
  const lines = [...consoleLines(replay, c), ...outcomeLines(replay, view)];
  if (replay.sentences.length > 0) {
    lines.push('', `Its ${count(replay.sentences.length, 'deviation')} from plain Node:`);
    lines.push(...replay.sentences.slice(0, SENTENCES_SHOWN).flatMap(sentenceLines));
    const more = replay.sentences.length - SENTENCES_SHOWN;
    if (more > 0) lines.push(`- and ${more} more`);
  }
  lines.push('', ...proofLines(replay, view));
  return `${lines.join('\n')}\n`;
}

function sentenceLines(sentence: string): string[] {
  return wrap(`- ${capitalized(sentence)}`, 100, '  ');
}

function consoleLines({ output }: Replay, c: Colors): string[] {
  return output.trim() === '' ? [] : [c.dim('output of the trial:'), output.trimEnd(), ''];
}

function outcomeLines({ failure, state }: Replay, { root, colors: c }: ReplayView): string[] {
  if (failure === undefined) return [state === 'passed' ? c.green('passes') : state];
  const place = failure.site === undefined ? undefined : parsePosition(failure.site);
  return [
    c.bold(c.red(failure.title)),
    `${KIND_NAMES[failure.kind]}: ${failure.message}`,
    ...(failure.site === undefined ? [] : [`at ${c.cyan(failure.site)}`]),
    ...(place === undefined ? [] : codeFrame(root, place)),
    ...framesOf(failure.stack, root).map(c.dim),
  ];
}

function proofLines({ decisions }: Replay, { difference, colors: c }: ReplayView): string[] {
  if (difference === undefined) {
    return [c.green(`identical: ${count(decisions, 'decision')}, event for event`)];
  }
  const { step, site, expected, got } = difference;
  return [
    c.red(`not the same again: the first difference is at step ${step}`),
    ...(site === '' ? [] : [`  where:    ${site}`]),
    `  expected: ${expected}`,
    `  got:      ${got}`,
  ];
}
