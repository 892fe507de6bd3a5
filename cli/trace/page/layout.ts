/**
 * The page's data and its geometry: a column for each event, a lane for each task.
 *
 * The scripts of this folder are one program in one scope: html.ts puts them into the page in the
 * order layout, draw, details, main.
 */

type PageData = import('../page-data.js').PageData;
type PageEvent = import('../page-data.js').PageEvent;

const data = JSON.parse(document.getElementById('trace')!.textContent!) as PageData;
const { events } = data;

/** A stretch in which a frame waits, from one event to another of its lane. */
interface Wait {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  /** Some of it is a deviation. */
  readonly late: boolean;
}

/** From the event in which a promise settled to the one that this woke. */
interface Arrow {
  readonly from: number;
  readonly to: number;
}

const waits: Wait[] = [];
const arrows: Arrow[] = [];
/** Virtual times in order: which of them it is, and the first event at it. */
const moments: { readonly index: number; readonly first: number }[] = [];
/** What each event wakes. */
const woken: number[][] = events.map(() => []);
const eventsOfLane: number[][] = data.lanes.map(() => []);
const deviations: number[] = [];

events.forEach((event, index) => {
  const before = moments[index - 1];
  const same = before !== undefined && events[index - 1]!.at === event.at;
  moments.push(same ? before : { index: (before?.index ?? -1) + 1, first: index });
  eventsOfLane[event.lane]!.push(index);
  if (event.type === 'deviation' || event.type === 'fault') deviations.push(index);
  if (event.since !== undefined && event.type === 'resume') {
    waits.push({ lane: event.lane, from: event.since, to: index, late: event.late !== undefined });
  }
  const cause = event.by ?? event.from;
  if (cause === undefined) return;
  if (event.by !== undefined) woken[cause]!.push(index);
  if (events[cause]!.lane !== event.lane) arrows.push({ from: cause, to: index });
});

/** What is seen: the first column and how wide one is, both in pixels or parts of them. */
const view = { first: 0, columnWidth: 24, scroll: 0, width: 0, height: 0 };

const LANE = 26;
const NAMES = 210;
const RULER = 24;
const WIDEST = 240;

function xOf(column: number): number {
  return NAMES + (column - view.first) * view.columnWidth;
}

function yOf(lane: number): number {
  return RULER + lane * LANE - view.scroll;
}

/** The narrowest a column can be: all of them are seen. */
function fittingWidth(): number {
  return Math.max(0.01, (view.width - NAMES - 12) / Math.max(1, events.length));
}

/** Keeps the view within what there is. */
function clampView(): void {
  const narrowest = Math.min(fittingWidth(), WIDEST);
  view.columnWidth = Math.min(WIDEST, Math.max(narrowest, view.columnWidth));
  const seen = (view.width - NAMES - 12) / view.columnWidth;
  view.first = Math.max(0, Math.min(view.first, events.length - seen));
  const tallest = Math.max(0, data.lanes.length * LANE + RULER - view.height + 4);
  view.scroll = Math.max(0, Math.min(view.scroll, tallest));
}

/** The event at a point of the canvas, or the one nearest to it in its lane. */
function eventAt(x: number, y: number): number | undefined {
  const lane = Math.floor((y - RULER + view.scroll) / LANE);
  const own = eventsOfLane[lane];
  if (own === undefined || x < NAMES || y < RULER) return undefined;
  const column = view.first + (x - NAMES) / view.columnWidth - 0.5;
  const reach = Math.max(0.5, 6 / view.columnWidth);
  let [low, high] = [0, own.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (own[middle]! < column) low = middle + 1;
    else high = middle;
  }
  const near = [own[low - 1], own[low]].filter((one) => one !== undefined);
  near.sort((a, b) => Math.abs(a - column) - Math.abs(b - column));
  const [best] = near;
  return best !== undefined && Math.abs(best - column) <= reach ? best : undefined;
}
