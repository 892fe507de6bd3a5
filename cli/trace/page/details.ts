/**
 * The panel beside the lanes: what is known of the selected event, its source and its stack; or,
 * when none is selected, what the run is and which of its events deviate.
 */

const panel = document.getElementById('details')!;
const tip = document.getElementById('tip')!;

function element(tag: string, className = '', text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}

/** A button that goes to an event. */
function link(index: number): HTMLElement {
  const event = events[index]!;
  const button = element('button', 'link');
  button.append(element('b', '', `#${event.n}`), ` ${data.tasks[event.task]} ${event.what}`);
  button.addEventListener('click', () => select(index));
  return button;
}

function links(title: string, indices: readonly number[]): HTMLElement[] {
  if (indices.length === 0) return [];
  const list = element('ul');
  for (const index of indices.slice(0, 30)) {
    const item = element('li');
    item.append(link(index));
    list.append(item);
  }
  if (indices.length > 30) list.append(element('li', 'dim', `and ${indices.length - 30} more`));
  return [element('h2', '', title), list];
}

function position(site: number): string {
  const { file, line, column } = data.sites[site]!;
  return line === 0 ? file : `${file}:${line}:${column}`;
}

/** The lines around a site, with the site's own line marked. */
function sourceOf(site: number): HTMLElement[] {
  const { file, line, column, moved } = data.sites[site]!;
  const lines = data.sources[file];
  const where = element('p', 'place', position(site));
  if (lines === undefined || lines[line] === undefined) return [where];
  const code = element('pre', 'source');
  for (let at = line - 3; at <= line + 3; at++) {
    const text = lines[at];
    if (text === undefined) continue;
    const row = element('div', at === line ? 'here' : '');
    row.append(element('span', 'number', String(at)));
    if (at === line) {
      row.append(text.slice(0, column - 1), element('mark', '', text.slice(column - 1)));
    } else row.append(text);
    code.append(row);
  }
  // The site's own column may be far to the right.
  requestAnimationFrame(() => {
    const marked = code.querySelector('mark')!;
    code.scrollLeft = marked.offsetLeft + 60 > code.clientWidth ? marked.offsetLeft - 90 : 0;
  });
  if (!moved) return [where, code];
  return [where, element('p', 'amber', 'The source has changed since the trace was made.'), code];
}

/** The logical stack: each frame with the place where it is. */
function stackOf(index: number): { fn: string; site: number }[] {
  const event = events[index]!;
  const stack: { fn: string; site: number }[] = [];
  let { frame } = event;
  let { site } = event;
  const seen = new Set<number>();
  while (frame !== undefined && !seen.has(frame)) {
    seen.add(frame);
    const { site: start, caller } = data.frames[frame]!;
    const { fn, text } = data.sites[start]!;
    stack.push({ fn: fn === '' || fn === '<anonymous>' ? text : fn, site });
    frame = caller;
    if (caller !== undefined) site = lastSiteOf(caller, index);
  }
  return stack;
}

/** Where a frame is before an event: where it waits, or where it last went on. */
function lastSiteOf(frame: number, before: number): number {
  for (let index = before - 1; index >= 0; index--) {
    const event = events[index]!;
    if (event.frame === frame) return event.waitsAt ?? event.site;
  }
  return data.frames[frame]!.site;
}

function stackList(index: number, show: (site: number) => void): HTMLElement[] {
  const stack = stackOf(index);
  if (stack.length === 0) return [];
  const list = element('ol', 'stack');
  for (const { fn, site } of stack) {
    const item = element('li');
    const button = element('button', 'link');
    button.append(element('b', '', fn), ` ${position(site)}`);
    button.addEventListener('click', () => show(site));
    item.append(button);
    list.append(item);
  }
  return [element('h2', '', 'Stack'), list];
}

function showDetails(): void {
  const { selected } = marks;
  panel.replaceChildren(...(selected === undefined ? overview() : detailsOf(selected)));
  panel.scrollTop = 0;
}

function detailsOf(index: number): HTMLElement[] {
  const event = events[index]!;
  const head = element('h1', '', `#${event.n} ${data.tasks[event.task]}`);
  const facts = element('dl');
  const fact = (name: string, text: string | undefined, className = ''): void => {
    if (text !== undefined) facts.append(element('dt', '', name), element('dd', className, text));
  };
  fact('time', event.time);
  fact('result', event.threw ? 'rejected' : event.value, event.threw ? 'red' : 'code');
  fact('late by', event.late, 'amber');
  fact('then', event.then);
  const source = element('div');
  const showSource = (site: number): void => source.replaceChildren(...sourceOf(site));
  showSource(event.site);
  const causes = [event.by, event.from].filter((one) => one !== undefined);
  return [
    head,
    element('p', event.type === 'deviation' ? 'amber' : '', event.what),
    facts,
    source,
    ...links(event.by === undefined ? 'Asked for by' : 'Woken by', causes.slice(0, 1)),
    ...links('Asked for by', causes.slice(1)),
    ...links('Wakes', woken[index]!),
    ...stackList(index, showSource),
  ];
}

function overview(): HTMLElement[] {
  const keys = element('dl', 'keys');
  for (const [key, meaning] of KEYS) {
    const term = element('dt');
    term.append(...key.split(' ').map((one) => element('kbd', '', one)));
    keys.append(term, element('dd', '', meaning));
  }
  return [
    element('h1', '', data.test),
    element('p', data.failed ? 'red' : '', data.outcome),
    ...(data.outcomeSite === '' ? [] : [element('p', 'place', data.outcomeSite)]),
    element('p', 'dim wrap', data.run),
    ...links('Deviations from plain Node', deviations),
    element('h2', '', 'Keys'),
    keys,
  ];
}

const KEYS = [
  ['← →', 'previous, next step'],
  ['Shift+← Shift+→', 'the same in the task'],
  ['↑', 'what woke it'],
  ['↓', 'what it wakes'],
  ['d', 'next deviation'],
  ['+ - 0', 'zoom in, out, fit'],
  ['/', 'search; n and N: next, previous'],
  ['Esc', 'back to this overview'],
] as const;

/** The tooltip of the hovered event. */
function showTip(x: number, y: number): void {
  const { hovered } = marks;
  tip.hidden = hovered === undefined;
  if (hovered === undefined) return;
  const event = events[hovered]!;
  tip.replaceChildren(
    element('b', '', `#${event.n} ${data.tasks[event.task]}`),
    element('div', '', event.what),
    element('div', 'dim', `${position(event.site)} · ${event.time}`),
    ...(event.late === undefined ? [] : [element('div', 'amber', `${event.late} late`)]),
  );
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 20 + height > innerHeight ? y - height - 10 : y + 20}px`;
}
