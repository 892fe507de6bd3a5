/**
 * What is shown while a sweep runs: a bar on a terminal, a line now and then elsewhere.
 */

import type { ProgressSink, SweepProgress } from '../sweep/sweep.js';
import type { Colors } from './style.js';
import { count, formatDuration, formatNumber } from './words.js';

const BAR_WIDTH = 24;

/** How often a bar is drawn, and how often a line is written, in ms of wall clock. */
const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** After how many trials their rate says how long the rest will take. */
const ENOUGH = 50;

const CLEAR_LINE = '\r\u001b[2K';

/** A bar where `stream` is a terminal, plain lines where it is not. */
export function progressOn(stream: NodeJS.WriteStream, colors: Colors): ProgressSink {
  const bar = stream.isTTY && process.env.CI === undefined;
  const every = bar ? DRAW_EVERY_MS : LINE_EVERY_MS;
  let drawnAt = bar ? -Infinity : performance.now();
  return {
    say(text) {
      if (bar) stream.write(`${CLEAR_LINE}${text}`);
    },
    update(progress) {
      const now = performance.now();
      if (now - drawnAt < every) return;
      drawnAt = now;
      const text = bar ? formatBar(progress(), colors) : formatLine(progress());
      stream.write(bar ? `${CLEAR_LINE}${fit(text, stream.columns || 80)}` : `${text}\n`);
    },
    end() {
      if (bar) stream.write(CLEAR_LINE);
    },
  };
}

export function formatBar(progress: SweepProgress, c: Colors): string {
  const { trialsDone, trialsWanted } = progress;
  const filled = Math.floor((BAR_WIDTH * trialsDone) / Math.max(1, trialsWanted));
  const bar = c.green('█'.repeat(filled)) + c.dim('░'.repeat(BAR_WIDTH - filled));
  return `${bar} ${numbers(progress)}`;
}

export function formatLine(progress: SweepProgress): string {
  return `${formatDuration(progress.elapsedMs)}: ${numbers(progress)}`;
}

function numbers({ trialsDone, trialsWanted, elapsedMs, shapes, failures }: SweepProgress): string {
  const perMs = trialsDone / Math.max(1, elapsedMs);
  return [
    `${formatNumber(trialsDone)}/${formatNumber(trialsWanted)} trials`,
    `${formatNumber(Math.round(perMs * 1000))}/s`,
    count(shapes, 'order of events', 'orders of events'),
    count(failures, 'failure'),
    ...(trialsDone < ENOUGH ? [] : [`${formatDuration((trialsWanted - trialsDone) / perMs)} left`]),
  ].join(' · ');
}

/** Cuts a line to the width of the terminal; colours are kept whole by cutting text only. */
function fit(text: string, columns: number): string {
  const visible = text.replace(/\u001b\[\d+m/g, '');
  return visible.length < columns ? text : visible.slice(0, Math.max(0, columns - 1));
}
