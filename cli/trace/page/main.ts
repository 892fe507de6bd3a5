/**
 * Mouse, keyboard and search of the page.
 */

const search = document.getElementById('search') as HTMLInputElement;
const searchCount = document.getElementById('count')!;
const STEP_WIDTH = 1.4;

/** Selects an event and brings it into view; undefined selects none. */
function select(index: number | undefined): void {
  marks.selected = index;
  if (index !== undefined) bringIntoView(index);
  showDetails();
  redraw();
}

function bringIntoView(index: number): void {
  const { lane } = events[index]!;
  const seen = (view.width - NAMES) / view.columnWidth;
  if (index < view.first + 1 || index > view.first + seen - 2) view.first = index - seen / 2;
  const y = yOf(lane);
  if (y < RULER || y + LANE > view.height) view.scroll = lane * LANE - (view.height - RULER) / 2;
  clampView();
}

/** @param x the point of the canvas that stays where it is */
function zoom(factor: number, x = NAMES + (view.width - NAMES) / 2): void {
  const column = view.first + (x - NAMES) / view.columnWidth;
  view.columnWidth *= factor;
  clampView();
  view.first = column - (x - NAMES) / view.columnWidth;
  redraw();
}

function fitAll(): void {
  Object.assign(view, { first: 0, scroll: 0, columnWidth: 0 });
  redraw();
}

// ---- moving about -------------------------------------------------------------------------------

function step(by: 1 | -1): void {
  const { selected } = marks;
  const from = selected ?? (by === 1 ? -1 : events.length);
  select(Math.max(0, Math.min(events.length - 1, from + by)));
}

function stepInLane(by: 1 | -1): void {
  const { selected } = marks;
  if (selected === undefined) return step(by);
  const own = eventsOfLane[events[selected]!.lane]!;
  const next = own[own.indexOf(selected) + by];
  if (next !== undefined) select(next);
}

/** The next of some events after the selected one, round and round. */
function nextOf(indices: readonly number[], by: 1 | -1): void {
  if (indices.length === 0) return;
  const from = marks.selected ?? -1;
  const next =
    by === 1
      ? (indices.find((index) => index > from) ?? indices[0])
      : (indices.findLast((index) => index < from) ?? indices[indices.length - 1]);
  select(next);
}

function toCause(): void {
  const event = marks.selected === undefined ? undefined : events[marks.selected];
  const cause = event?.by ?? event?.from ?? event?.since;
  if (cause !== undefined) select(cause);
}

function toEffect(): void {
  const first = marks.selected === undefined ? undefined : woken[marks.selected]![0];
  if (first !== undefined) select(first);
}

// ---- search -------------------------------------------------------------------------------------

const texts = events.map((event) =>
  [event.what, data.tasks[event.task], position(event.site), event.value, event.then, event.time]
    .join('\n')
    .toLowerCase(),
);

function runSearch(): void {
  const wanted = search.value.trim().toLowerCase();
  const found =
    wanted === ''
      ? undefined
      : new Set(texts.flatMap((text, index) => (text.includes(wanted) ? [index] : [])));
  marks.found = found;
  searchCount.textContent = found === undefined ? '' : `${found.size} found`;
  redraw();
}

search.addEventListener('input', runSearch);
search.addEventListener('keydown', (key) => {
  if (key.key === 'Enter') nextOf([...(marks.found ?? [])], key.shiftKey ? -1 : 1);
  else if (key.key === 'Escape') {
    search.value = '';
    runSearch();
    canvas.focus();
  }
  key.stopPropagation();
});

// ---- keyboard -----------------------------------------------------------------------------------

const ACTIONS: Record<string, () => void> = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  'Shift+ArrowLeft': () => stepInLane(-1),
  'Shift+ArrowRight': () => stepInLane(1),
  ArrowUp: toCause,
  ArrowDown: toEffect,
  d: () => nextOf(deviations, 1),
  '+': () => zoom(STEP_WIDTH),
  '=': () => zoom(STEP_WIDTH),
  '-': () => zoom(1 / STEP_WIDTH),
  '0': fitAll,
  '/': () => search.focus(),
  n: () => nextOf([...(marks.found ?? [])], 1),
  N: () => nextOf([...(marks.found ?? [])], -1),
  Escape: () => select(undefined),
};

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = event.key.startsWith('Arrow');
  const action = ACTIONS[event.shiftKey && arrow ? `Shift+${event.key}` : event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});

document.getElementById('in')!.addEventListener('click', () => zoom(STEP_WIDTH));
document.getElementById('out')!.addEventListener('click', () => zoom(1 / STEP_WIDTH));
document.getElementById('fit')!.addEventListener('click', fitAll);

// ---- mouse --------------------------------------------------------------------------------------

/** The point of the last press, until the button is released; `moved` tells a drag from a click. */
let press: { x: number; y: number; moved: boolean } | undefined;

canvas.addEventListener('pointerdown', (event) => {
  press = { x: event.offsetX, y: event.offsetY, moved: false };
  canvas.setPointerCapture(event.pointerId);
});

canvas.addEventListener('pointermove', (event) => {
  if (press === undefined) return hover(event);
  const [dx, dy] = [event.offsetX - press.x, event.offsetY - press.y];
  if (!press.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
  view.first -= dx / view.columnWidth;
  view.scroll -= dy;
  press = { x: event.offsetX, y: event.offsetY, moved: true };
  redraw();
});

canvas.addEventListener('pointerup', (event) => {
  const clicked = press !== undefined && !press.moved;
  press = undefined;
  if (clicked) select(eventAt(event.offsetX, event.offsetY));
});

canvas.addEventListener('pointerleave', () => {
  marks.hovered = undefined;
  showTip(0, 0);
  redraw();
});

function hover(event: PointerEvent): void {
  const hovered = eventAt(event.offsetX, event.offsetY);
  const changed = hovered !== marks.hovered;
  marks.hovered = hovered;
  if (changed || hovered !== undefined) showTip(event.clientX, event.clientY);
  canvas.style.cursor = hovered === undefined ? 'default' : 'pointer';
  if (changed) redraw();
}

canvas.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) return zoom(Math.exp(-event.deltaY / 200), event.offsetX);
    const across = event.shiftKey ? event.deltaY : event.deltaX;
    const tall = data.lanes.length * LANE + RULER > view.height;
    if (!event.shiftKey && tall) view.scroll += event.deltaY;
    view.first += (across + (event.shiftKey || tall ? 0 : event.deltaY)) / view.columnWidth;
    redraw();
  },
  { passive: false },
);

function moveByMap(event: PointerEvent): void {
  if (event.buttons !== 1) return;
  const { width } = mapCanvas.getBoundingClientRect();
  const seen = (view.width - NAMES) / view.columnWidth;
  view.first = (event.offsetX / width) * events.length - seen / 2;
  redraw();
}

mapCanvas.addEventListener('pointerdown', moveByMap);
mapCanvas.addEventListener('pointermove', moveByMap);

// ---- start --------------------------------------------------------------------------------------

addEventListener('resize', redraw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  readTheme();
  redraw();
});
readTheme();
draw();
view.columnWidth = Math.max(fittingWidth(), 24);
const [firstDeviation] = deviations;
if (firstDeviation !== undefined) bringIntoView(firstDeviation);
showDetails();
draw();
document.body.dataset.ready = 'true';
