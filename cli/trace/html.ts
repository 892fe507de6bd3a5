/**
 * `detsim trace html`: one page that holds the trace, the source lines that it speaks of, and the
 * program that shows them. It needs nothing from anywhere else.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PageData, PageSite } from './page-data.js';
import { pageEvents } from './page-events.js';
import { pageOf } from './page-style.js';
import type { TraceWords } from './words.js';

/** How many lines around each site are shown. */
const AROUND = 3;

const SCRIPTS = ['layout', 'draw', 'details', 'main'];

/** @param root what the positions of the trace are relative to */
export function formatHtml(words: TraceWords, root: string): string {
  const { trace } = words;
  const { outcome, seed, schedule } = trace;
  const failed = outcome.state === 'failed';
  const message = (outcome.message ?? '').split('\n', 1)[0];
  const { sites, sources } = sourcesOf(words, root);
  const data: PageData = {
    test: trace.test,
    file: trace.file,
    run: schedule === undefined ? `seed ${seed}` : schedule,
    failed,
    outcome: failed ? `${outcome.kind ?? 'failed'}: ${message}` : outcome.state,
    outcomeSite: outcome.site ?? '',
    sites,
    sources,
    tasks: trace.tasks.map((_, index) => words.task(index)),
    frames: (trace.frames ?? []).map(({ site, caller }) =>
      caller === undefined ? { site } : { site, caller },
    ),
    ...pageEvents(words),
  };
  return pageOf({
    title: trace.test,
    outcome: data.outcome,
    failed,
    data: JSON.stringify(data),
    script: `(() => {\n'use strict';\n${SCRIPTS.map(scriptOf).join('\n')}})();`,
  });
}

function scriptOf(name: string): string {
  const text = readFileSync(path.join(__dirname, 'page', `${name}.js`), 'utf8');
  return text.replace(/^"use strict";\n|\n\/\/# sourceMappingURL=.*/g, '');
}

function sourcesOf(words: TraceWords, root: string): Pick<PageData, 'sites' | 'sources'> {
  const files = new Map<string, readonly string[] | undefined>();
  const sources: Record<string, Record<number, string>> = {};
  const sites = words.trace.sites.map(({ position, fn, text }): PageSite => {
    const [, file = position, line = '0', column = '0'] = /^(.+):(\d+):(\d+)$/.exec(position) ?? [];
    const site = { file, line: Number(line), column: Number(column), fn, text };
    if (!files.has(file)) files.set(file, linesOf(path.resolve(root, file)));
    const lines = files.get(file);
    if (lines === undefined || site.line === 0) return site;
    const kept = (sources[file] ??= {});
    const last = Math.min(lines.length, site.line + AROUND);
    for (let at = Math.max(1, site.line - AROUND); at <= last; at++) kept[at] = lines[at - 1];
    const word = /[\w$]+/.exec(text)?.[0] ?? '';
    return (lines[site.line - 1] ?? '').includes(word) ? site : { ...site, moved: true };
  });
  return { sites, sources };
}

function linesOf(file: string): readonly string[] | undefined {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return undefined;
  }
}
