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

/** A site as a test file's trials came to it; the fields are described in docs/last-sweep.md. */
interface SweptSite extends Pick<Site, 'kind' | 'fn' | 'text'> {
  /** `file:line:column`, relative to the root. */
  readonly position: string;
  readonly overtaken: number;
  readonly failing: number;
}

interface SweptFile {
  readonly trials: number;
  readonly sites: readonly SweptSite[];
}

/** What the trials of all test files that came to a site saw there. */
interface Seen extends Pick<Site, 'kind' | 'line' | 'column' | 'fn' | 'text'> {
  trials: number;
  overtaken: number;
  failing: number;
}

/** The last sweep of a project. */
export interface LastSweep {
  /** The project's root: paths are relative to it. */
  readonly root: string;
  /** The sites of each file, by path, in the order of the source. */
  readonly sites: ReadonlyMap<string, readonly Seen[]>;
}

const FORMAT = 'detsim-sweep';
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
    const document = JSON.parse(text) as {
      readonly format: string;
      readonly version: number;
      readonly files: readonly SweptFile[];
    };
    if (document.format !== FORMAT || document.version !== VERSION) return undefined;
    return { root, sites: added(document.files) };
  } catch {
    return undefined;
  }
}

/** Adds up what the trials of each test file saw. */
function added(files: readonly SweptFile[]): ReadonlyMap<string, readonly Seen[]> {
  const byPosition = new Map<string, Seen>();
  const byFile = new Map<string, Seen[]>();
  for (const { trials, sites } of files) {
    for (const { position, kind, fn, text, overtaken, failing } of sites) {
      let seen = byPosition.get(position);
      if (seen === undefined) {
        const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(position)!;
        const place = { kind, line: Number(line), column: Number(column), fn, text };
        seen = { ...place, trials: 0, overtaken: 0, failing: 0 };
        byPosition.set(position, seen);
        const ofFile = byFile.get(file!);
        if (ofFile === undefined) byFile.set(file!, [seen]);
        else ofFile.push(seen);
      }
      seen.trials += trials;
      seen.overtaken += overtaken;
      seen.failing += failing;
    }
  }
  for (const sites of byFile.values()) {
    sites.sort((a, b) => a.line - b.line || a.column - b.column);
  }
  return byFile;
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
  const swept = sweep.sites.get(path.relative(sweep.root, file).split(path.sep).join('/'));
  if (swept === undefined) return undefined;
  const { kind, fn, text } = sites[site]!;
  const isLike = (one: Pick<Site, 'kind' | 'fn' | 'text'>): boolean =>
    one.kind === kind && one.fn === fn && one.text === text;
  const alike = sites.filter(isLike);
  const sweptAlike = swept.filter(isLike);
  if (sweptAlike.length === 0) return 'The last sweep did not come here.';
  // One more or one less of them than there were: which is which is not known.
  if (sweptAlike.length !== alike.length) return undefined;
  return sentence(sweptAlike[alike.indexOf(sites[site]!)]!);
}

function sentence({ trials, overtaken, failing }: Seen): string {
  const of = `${count(trials)} ${trials === 1 ? 'trial' : 'trials'}`;
  const failed = failing > 0 ? `; failing in ${count(failing)}` : '';
  if (overtaken === 0) return `Last sweep: never overtaken in ${of}.`;
  return `Last sweep: overtaken in ${count(overtaken)} of ${of}${failed}.`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
