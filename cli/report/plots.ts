/**
 * The plots of a report's page: inline SVG without a script, in the colours of the page.
 */

import type { History, StrategyHistory } from '../sweep/history.js';
import { escape } from '../trace/page-style.js';
import { formatNumber } from './words.js';

const WIDTH = 460;
const HEIGHT = 190;
const LEFT = 52;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 30;
const TICKS = 4;

type Point = readonly [x: number, y: number];

/** Distinct orders of events over trials. */
export function growthPlot({ growth }: History): string {
  return linePlot('Distinct orders of events over trials', 'trial', formatNumber, [
    { name: 'orders', points: growth, shade: 'accent' },
  ]);
}

/** Wall-clock time of trials: the median and the longest of each stretch. */
export function timePlot({ times }: History): string {
  const ms = (value: number): string => `${Number(value.toPrecision(2))} ms`;
  return linePlot('Time of a trial', 'trial', ms, [
    { name: 'longest', points: times.map(([x, , y]) => [x, y] as const), shade: 'amber' },
    { name: 'median', points: times.map(([x, y]) => [x, y] as const), shade: 'accent' },
  ]);
}

/** Which share of the trials of each strategy failed. */
export function strategyPlot({ strategies }: History): string {
  const share = ({ failed, trials }: StrategyHistory): number => failed / Math.max(1, trials);
  const rows = [...strategies].sort((a, b) => share(b) - share(a));
  const top = Math.max(0.01, ...rows.map(share));
  const step = (HEIGHT - TOP - 8) / Math.max(5, rows.length);
  const left = 104;
  const bars = rows.map((row, i) => {
    const y = TOP + i * step;
    const width = (share(row) / top) * (WIDTH - left - 130);
    const percent = `${(100 * share(row)).toFixed(1)} %`;
    const counts = `${percent} of ${formatNumber(row.trials)}`;
    const middle = y + step * 0.42;
    return (
      `<text class="label" x="${left - 8}" y="${n(middle + 4)}" text-anchor="end">` +
      `${escape(row.name)}</text>` +
      `<rect class="bar" x="${left}" y="${n(y)}" width="${n(Math.max(1, width))}" ` +
      `height="${n(step * 0.84)}" rx="2"><title>${row.failed} of ${row.trials}</title></rect>` +
      `<text class="label" x="${n(left + width + 8)}" y="${n(middle + 4)}">${counts}</text>`
    );
  });
  return svg('Share of failing trials by strategy', bars.join(''));
}

interface Line {
  readonly name: string;
  readonly points: readonly Point[];
  /** The name of a colour of the page. */
  readonly shade: string;
}

function linePlot(
  title: string,
  axis: string,
  format: (value: number) => string,
  lines: readonly Line[],
): string {
  const all = lines.flatMap(({ points }) => points);
  const mostX = Math.max(1, ...all.map(([x]) => x));
  const mostY = roundUp(Math.max(...all.map(([, y]) => y), 1e-3));
  const x = (value: number): number => LEFT + (value / mostX) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => HEIGHT - BOTTOM - (value / mostY) * (HEIGHT - TOP - BOTTOM);
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => i / TICKS);
  const grid = ticks.map((part) => {
    const at = n(y(part * mostY));
    return (
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>` +
      `<text class="label" x="${LEFT - 6}" y="${at + 4}" text-anchor="end">` +
      `${escape(format(part * mostY))}</text>`
    );
  });
  const below = [0, 0.5, 1].map((part) => {
    const at = Math.round(part * mostX);
    const anchor = part === 0 ? 'start' : part === 1 ? 'end' : 'middle';
    const text = part === 0 ? `${axis} 0` : formatNumber(at);
    const place = `x="${n(x(at))}" y="${HEIGHT - 10}" text-anchor="${anchor}"`;
    return `<text class="label" ${place}>${text}</text>`;
  });
  const curves = lines.map(({ points, shade, name }, i) => {
    const path = points.map(([px, py]) => `${n(x(px))},${n(y(py))}`).join(' ');
    const legend =
      lines.length === 1
        ? ''
        : `<text class="${shade}" x="${WIDTH - RIGHT}" y="${TOP + 12 + 15 * i}" ` +
          `text-anchor="end">${name}</text>`;
    return `<polyline class="curve ${shade}" points="${path}"/>${legend}`;
  });
  return svg(title, [...grid, ...below, ...curves].join(''));
}

function svg(title: string, content: string): string {
  return (
    `<figure><figcaption>${escape(title)}</figcaption>` +
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}">` +
    `${content}</svg></figure>`
  );
}

/** To a number whose quarters are easy to read. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((times) => times * unit).find((one) => one >= value)!;
}

function n(value: number): number {
  return Math.round(value * 10) / 10;
}
