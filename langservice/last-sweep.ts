/**
 * What the last sweep saw at each site: `.detsim/last-sweep.json`, as the editor shows it.
 *
 * A site is found again by what it is (kind, function, text, and which of its like in the file),
 * so that edits elsewhere in a file since the sweep do not matter. A file that is missing, broken
 * or of another version counts as "never swept".
 */

import fs from 'node:fs';
import path from 'node:path';
import type { Site } from '../transformer/analyzer/index.js';

/** One site of a file; the numbers count trials. */
export interface SweptSite extends Pick<Site, 'kind' | 'fn' | 'text'> {
  /** Trials in which the site was reached. */
  readonly reached: number;
  /** Of those, trials in which another task ran while this one waited here. */
  readonly overtaken: number;
  /** Of those, trials that failed. */
  readonly failing: number;
}

/** The last sweep of a project. */
export interface LastSweep {
  /** The project's root: paths of `files` are relative to it. */
  readonly root: string;
  readonly trials: number;
  readonly files: Readonly<Record<string, readonly SweptSite[]>>;
}

const VERSION = 1;
const NAME = path.join('.detsim', 'last-sweep.json');

/** What was read before, by path; read again when the file has changed. */
const cache = new Map<
  string,
  { readonly mtimeMs: number; readonly sweep: LastSweep | undefined }
>();

/** The last sweep of the project that a file lies in. */
export function lastSweepFor(file: string): LastSweep | undefined {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const stat = fs.statSync(path.join(folder, NAME), { throwIfNoEntry: false });
    if (stat !== undefined) return read(folder, stat.mtimeMs);
    if (path.dirname(folder) === folder) return undefined;
  }
}

function read(root: string, mtimeMs: number): LastSweep | undefined {
  const known = cache.get(root);
  if (known?.mtimeMs === mtimeMs) return known.sweep;
  const sweep = parse(root);
  cache.set(root, { mtimeMs, sweep });
  return sweep;
}

function parse(root: string): LastSweep | undefined {
  try {
    const text = fs.readFileSync(path.join(root, NAME), 'utf8');
    const { version, trials, files } = JSON.parse(text) as LastSweep & { version: number };
    const known = version === VERSION && typeof trials === 'number' && typeof files === 'object';
    return known && files !== null ? { root, trials, files } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What was seen at a site of a file.
 * @param sites all sites of the file as it is now
 * @param site the index in `sites`
 * @returns a sentence; undefined when nothing can be said about the site
 */
export function seenAt(file: string, sites: readonly Site[], site: number): string | undefined {
  const sweep = lastSweepFor(file);
  if (sweep === undefined) return undefined;
  const name = path.relative(sweep.root, file).split(path.sep).join('/');
  const swept = Object.hasOwn(sweep.files, name) ? sweep.files[name] : undefined;
  if (!Array.isArray(swept)) return undefined;
  const isLike = (one: Pick<Site, 'kind' | 'fn' | 'text'>): boolean =>
    one.kind === sites[site]!.kind && one.fn === sites[site]!.fn && one.text === sites[site]!.text;
  const alike = sites.filter(isLike);
  const sweptAlike = (swept as readonly SweptSite[]).filter(isLike);
  if (sweptAlike.length === 0) return 'Not reached in the last sweep.';
  // One more or one less of them than there were: which is which is not known.
  const seen = sweptAlike.length === alike.length && sweptAlike[alike.indexOf(sites[site]!)];
  return seen ? sentence(seen) : undefined;
}

function sentence({ reached, overtaken, failing }: SweptSite): string {
  const of = `${number(reached)} ${reached === 1 ? 'trial' : 'trials'} that reached it`;
  const failed = failing > 0 ? `; failing in ${number(failing)}` : '';
  if (overtaken === 0) return `Last sweep: never overtaken in the ${of}.`;
  return `Last sweep: overtaken in ${number(overtaken)} of ${of}${failed}.`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
