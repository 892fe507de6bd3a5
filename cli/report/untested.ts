/**
 * The part of the report that `--coverage` adds: what the trials have left untried.
 */

import { untestedOf } from '../sweep/last-sweep.js';
import type { SiteCounts } from '../sweep/site-coverage.js';
import type { FileReport } from './model.js';
import type { Colors } from './style.js';
import { count } from './words.js';

/** The JSON file has all. */
const SHOWN = 20;

export function untestedLines(files: readonly FileReport[], c: Colors): string[] {
  return files.flatMap((file, index) => {
    const { sites } = file.sites;
    const awaits = sites.filter(({ kind }) => kind === 'await');
    const overtaken = awaits.filter((site) => site.overtaken > 0).length;
    const untested = untestedOf(file.sites);
    return [
      ...(index > 0 ? [''] : []),
      `${c.bold(file.file)}: ${overtaken} of ${count(awaits.length, 'await')} overtaken`,
      ...list('never overtaken', untested.neverOvertaken.map(siteLine), c),
      ...list('never rejected', untested.neverRejected.map(siteLine), c),
      ...list(
        'never interleaved',
        untested.neverInterleaved.map((pair) => pair.join(' and ')),
        c,
      ),
    ];
  });
}

function siteLine({ position, text }: SiteCounts): string {
  return `${position}  ${text}`;
}

function list(title: string, lines: readonly string[], c: Colors): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - SHOWN;
  return [
    `  ${c.yellow(title)}`,
    ...lines.slice(0, SHOWN).map((line) => `  - ${line}`),
    ...(more > 0 ? [`  - and ${more} more, in .detsim/last-sweep.json`] : []),
  ];
}
