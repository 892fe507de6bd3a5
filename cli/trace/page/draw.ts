/**
 * Draws the lanes, and the small map of the whole run above them, on two canvases. Only what is in
 * view is drawn, so that a trace of ten thousand steps is as quick as one of a hundred.
 */

const canvas = document.getElementById('lanes') as HTMLCanvasElement;
const context = canvas.getContext('2d')!;
const mapCanvas = document.getElementById('map') as HTMLCanvasElement;
const mapContext = mapCanvas.getContext('2d')!;

/** What is marked. */
const marks = {
  selected: undefined as number | undefined,
  hovered: undefined as number | undefined,
  /** What the search has found; undefined when nothing is looked for. */
  found: undefined as Set<number> | undefined,
};

const FONT = '12px ui-sans-serif, system-ui, sans-serif';
const HUES = [212, 4, 150, 40, 285, 185, 330, 95];
let dark = false;
let ink = { text: '', dim: '', line: '', band: '', back: '', amber: '', red: '', accent: '' };

/** Takes the colours of the page's theme. */
function readTheme(): void {
  dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  ink = {
    text: of('text'),
    dim: of('dim'),
    line: of('line'),
    band: of('band'),
    back: of('back'),
    amber: of('amber'),
    red: of('red'),
    accent: of('accent'),
  };
}

function laneColour(lane: number, alpha = 1): string {
  const hue = HUES[lane % HUES.length];
  return `hsl(${hue} ${dark ? 60 : 62}% ${dark ? 66 : 42}% / ${alpha})`;
}

let drawing = false;

/** Draws soon, once. */
function redraw(): void {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

/** Gives a canvas the pixels of the screen. @returns its size in CSS pixels */
function fit(of: HTMLCanvasElement, on: CanvasRenderingContext2D): DOMRect {
  const box = of.getBoundingClientRect();
  const ratio = devicePixelRatio;
  const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
  if (of.width !== width || of.height !== height) Object.assign(of, { width, height });
  on.setTransform(ratio, 0, 0, ratio, 0, 0);
  return box;
}

function draw(): void {
  const box = fit(canvas, context);
  view.width = box.width;
  view.height = box.height;
  clampView();
  const c = context;
  c.font = FONT;
  c.textBaseline = 'middle';
  c.fillStyle = ink.back;
  c.fillRect(0, 0, view.width, view.height);
  const from = Math.max(0, Math.floor(view.first));
  const to = Math.min(
    events.length - 1,
    Math.ceil(view.first + (view.width - NAMES) / view.columnWidth),
  );
  const lanes: [number, number] = [
    Math.max(0, Math.floor(view.scroll / LANE)),
    Math.min(data.lanes.length - 1, Math.floor((view.scroll + view.height) / LANE)),
  ];
  c.save();
  c.beginPath();
  c.rect(NAMES, 0, view.width - NAMES, view.height);
  c.clip();
  const times = drawTimes(from, to);
  drawLaneLines(lanes);
  drawWaits(from, to, lanes);
  drawArrows(from, to);
  for (let index = from; index <= to; index++) {
    const { lane } = events[index]!;
    if (lane >= lanes[0] && lane <= lanes[1]) drawEvent(index);
  }
  drawEnd();
  drawRuler(times);
  c.restore();
  drawNames(lanes);
  drawMap();
}

function drawLaneLines([first, last]: [number, number]): void {
  context.fillStyle = ink.line;
  for (let lane = first; lane <= last; lane++) {
    context.fillRect(NAMES, Math.round(yOf(lane) + LANE - 1), view.width - NAMES, 1);
  }
}

/** Bands for equal virtual time. @returns where a label has room */
function drawTimes(from: number, to: number): { x: number; text: string }[] {
  const labels: { x: number; text: string }[] = [];
  let last = -Infinity;
  for (let index = moments[from]?.first ?? 0; index <= to;) {
    const moment = moments[index];
    let end = index;
    while (moments[end + 1] === moment && end + 1 < events.length) end++;
    const x = xOf(index);
    if (moment!.index % 2 === 1) {
      context.fillStyle = ink.band;
      context.fillRect(x, 0, xOf(end + 1) - x, view.height);
    }
    const at = Math.max(x, NAMES);
    const text = events[index]!.time;
    if (at - last > 14) {
      labels.push({ x: at, text });
      last = at + context.measureText(text).width;
    }
    index = end + 1;
  }
  return labels;
}

function drawRuler(labels: readonly { x: number; text: string }[]): void {
  context.fillStyle = ink.back;
  context.fillRect(NAMES, 0, view.width - NAMES, RULER - 1);
  context.fillStyle = ink.line;
  context.fillRect(NAMES, RULER - 1, view.width - NAMES, 1);
  context.fillStyle = ink.dim;
  for (const { x, text } of labels) context.fillText(text, x + 4, RULER / 2);
}

function drawWaits(from: number, to: number, [first, last]: [number, number]): void {
  for (const wait of waits) {
    if (wait.to < from || wait.from > to || wait.lane < first || wait.lane > last) continue;
    const y = Math.round(yOf(wait.lane) + LANE / 2);
    context.strokeStyle = wait.late ? ink.amber : laneColour(wait.lane, 0.55);
    context.lineWidth = wait.late ? 2 : 1;
    context.setLineDash(wait.late ? [5, 3] : []);
    context.beginPath();
    context.moveTo(xOf(wait.from + 0.5), y);
    context.lineTo(xOf(wait.to + 0.5), y);
    context.stroke();
  }
  context.setLineDash([]);
}

function drawArrows(from: number, to: number): void {
  const focus = marks.hovered ?? marks.selected;
  const crowded = view.columnWidth < 7;
  context.lineWidth = 1;
  for (const arrow of arrows) {
    if (arrow.to < from || arrow.from > to) continue;
    const focused = arrow.from === focus || arrow.to === focus;
    if (crowded && !focused) continue;
    const { lane } = events[arrow.from]!;
    context.strokeStyle = focused ? ink.accent : laneColour(lane, 0.35);
    context.fillStyle = context.strokeStyle;
    context.lineWidth = focused ? 1.75 : 1;
    drawArrow(arrow);
  }
}

function drawArrow({ from, to }: Arrow): void {
  const [a, b] = [events[from]!, events[to]!];
  const down = b.lane > a.lane;
  const [x1, x2] = [xOf(from + 0.5), xOf(to + 0.5)];
  const y1 = yOf(a.lane) + LANE / 2 + (down ? 7 : -7);
  const y2 = yOf(b.lane) + LANE / 2 + (down ? -8 : 8);
  const bend = Math.min(40, Math.abs(x2 - x1) / 2);
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2 - (down ? 14 : -14), x2, y2);
  context.stroke();
  context.beginPath();
  context.moveTo(x2, y2 + (down ? 3 : -3));
  context.lineTo(x2 - 3.5, y2 - (down ? 3 : -3));
  context.lineTo(x2 + 3.5, y2 - (down ? 3 : -3));
  context.fill();
}

function drawEvent(index: number): void {
  const event = events[index]!;
  const c = context;
  const width = Math.max(1.5, Math.min(view.columnWidth - 2, WIDEST));
  const [x, y] = [xOf(index + 0.5) - width / 2, yOf(event.lane) + 5];
  const faded = marks.found !== undefined && !marks.found.has(index);
  c.globalAlpha = faded ? 0.18 : 1;
  if (event.type === 'deviation' || event.type === 'fault') {
    drawDiamond(xOf(index + 0.5), yOf(event.lane) + LANE / 2, event.type === 'fault');
  } else {
    const filled = event.type !== 'call';
    c.beginPath();
    c.roundRect(x, y, width, LANE - 10, Math.min(4, width / 2));
    c.fillStyle = filled ? laneColour(event.lane) : laneColour(event.lane, 0.35);
    c.fill();
    if (event.threw) {
      c.fillStyle = ink.red;
      c.fillRect(x, y + LANE - 13, width, 3);
    }
    if (width > 46) drawLabel(event, x, width, filled);
  }
  c.globalAlpha = 1;
  if (index !== marks.selected && index !== marks.hovered) return;
  c.strokeStyle = index === marks.selected ? ink.accent : ink.text;
  c.lineWidth = 2;
  c.beginPath();
  c.roundRect(x - 2, y - 2, Math.max(width + 4, 8), LANE - 6, 5);
  c.stroke();
}

function drawDiamond(x: number, y: number, fault: boolean): void {
  const size = Math.min(7, Math.max(3.5, view.columnWidth / 2));
  context.fillStyle = fault ? ink.red : ink.amber;
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.fill();
}

function drawLabel(event: PageEvent, x: number, width: number, filled: boolean): void {
  const { fn, text } = data.sites[event.site]!;
  const full = event.type === 'resume' || fn === '' || fn === '<anonymous>' ? text : fn;
  context.fillStyle = filled ? (dark ? '#10141b' : '#ffffff') : ink.text;
  context.fillText(cut(full, width - 10), x + 5, yOf(event.lane) + LANE / 2 + 0.5);
}

/** As much of a text as has room. */
function cut(text: string, width: number): string {
  const fits = Math.floor(width / 6.3);
  return text.length <= fits ? text : `${text.slice(0, Math.max(0, fits - 1))}…`;
}

/** Where the test failed: after the last event. */
function drawEnd(): void {
  const x = xOf(events.length) + 2;
  context.fillStyle = data.failed ? ink.red : ink.line;
  context.fillRect(x, RULER, data.failed ? 3 : 1, view.height);
}

function drawNames([first, last]: [number, number]): void {
  const c = context;
  c.fillStyle = ink.back;
  c.fillRect(0, 0, NAMES, view.height);
  const focus = marks.selected === undefined ? -1 : events[marks.selected]!.lane;
  for (let lane = first; lane <= last; lane++) {
    const y = yOf(lane);
    if (lane === focus) {
      c.fillStyle = ink.band;
      c.fillRect(0, y, NAMES, LANE);
    }
    c.fillStyle = laneColour(lane);
    c.fillRect(8, y + 9, 8, 8);
    c.fillStyle = ink.text;
    c.fillText(cut(data.lanes[lane]!, NAMES - 32), 24, y + LANE / 2);
  }
  c.fillStyle = ink.back;
  c.fillRect(0, 0, NAMES, RULER);
  c.fillStyle = ink.dim;
  c.fillText('task', 24, RULER / 2);
  c.fillStyle = ink.line;
  c.fillRect(NAMES - 1, 0, 1, view.height);
  c.fillRect(0, RULER - 1, NAMES, 1);
}

/** The map without its frame, and what it was drawn for. */
const map = { picture: document.createElement('canvas'), of: '' };

/** The whole run in small, with the part that is in view. */
function drawMap(): void {
  const { width, height } = fit(mapCanvas, mapContext);
  const of = [mapCanvas.width, mapCanvas.height, dark, marks.found && [...marks.found]].join(' ');
  if (map.of !== of) {
    map.of = of;
    map.picture.width = mapCanvas.width;
    map.picture.height = mapCanvas.height;
    const c = map.picture.getContext('2d')!;
    c.scale(devicePixelRatio, devicePixelRatio);
    drawMapPicture(c, width, height);
  }
  mapContext.drawImage(map.picture, 0, 0, width, height);
  const scale = width / Math.max(1, events.length);
  const seen = ((view.width - NAMES) / view.columnWidth) * scale;
  mapContext.strokeStyle = ink.accent;
  mapContext.lineWidth = 1.5;
  mapContext.strokeRect(
    view.first * scale + 1,
    1,
    Math.max(4, Math.min(width, seen) - 2),
    height - 2,
  );
}

function drawMapPicture(c: CanvasRenderingContext2D, width: number, height: number): void {
  c.fillStyle = ink.back;
  c.fillRect(0, 0, width, height);
  const [scale, row] = [
    width / Math.max(1, events.length),
    height / Math.max(1, data.lanes.length),
  ];
  events.forEach(({ lane }, index) => {
    c.fillStyle = laneColour(lane, 0.8);
    c.fillRect(index * scale, lane * row, Math.max(1, scale), Math.max(1, row - 0.5));
  });
  for (const index of marks.found ?? deviations) {
    c.fillStyle = marks.found === undefined ? ink.amber : ink.accent;
    c.fillRect((index + 0.5) * scale - 1, 0, 2, height);
  }
}
