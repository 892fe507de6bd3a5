/**
 * The instrumented source positions of a process.
 *
 * Every instrumented file registers its table when it is evaluated, and addresses its sites as
 * base + index. A file that is evaluated anew for each trial gets the same numbers again.
 */

import { hashString } from '../kernel/hash.js';
import type { Site } from '../kernel/choice.js';
import type { Effects } from '../kernel/effects.js';
import { parseEffects, touchedNames } from './effects.js';

export type SiteKind =
  | 'function'
  | 'await'
  | 'forAwait'
  | 'yield'
  | 'return'
  | 'dispose'
  | 'reaction'
  | 'call'
  | 'unknown';

/** [kind, line, column, enclosing function, source text, effects]; see the transformer. */
export type SiteTuple = readonly [SiteKind, number, number, string, string, string?];

/** How the labels begin of events that code without yield points has asked for. */
export const UNMARKED = 'operation:';

/** One instrumented source position. Lines and columns count from 1. */
export class SourceSite implements Site {
  readonly hash: number;
  private readonly where: string;
  /** What a task that starts here is called. */
  readonly label: string;
  readonly labelHash: number;
  /** What a task is called that an event starts which something here has asked for. */
  readonly eventLabel: string;
  readonly eventLabelHash: number;
  /** What the segment does that begins here; undefined when nothing is known of it. */
  readonly effects: Effects | undefined;
  /** The number of the last run that noted something here; see {@link Scheduler.noteOvertaken}. */
  notedIn = 0;

  constructor(
    readonly file: string,
    readonly kind: SiteKind,
    readonly line: number,
    readonly column: number,
    readonly fn: string,
    readonly text: string,
    /** Whether the file holds stand-ins: test files, and files matched by `stubs`. */
    readonly stub: boolean,
    private readonly effectsText: string | undefined = undefined,
  ) {
    this.where = `${file}:${line}:${column}`;
    this.hash = hashString(this.where);
    const named = kind === 'function' && fn !== '<anonymous>' && fn !== '';
    this.label = named ? fn.replace(/[/#]/g, '_') : `${kind}:${line}`;
    this.labelHash = hashString(this.label);
    // Only calls are marked: elsewhere a call that nobody marked has asked for it.
    const marked = kind === 'call' || kind === 'unknown';
    this.eventLabel = marked ? this.label : `${UNMARKED}${line}`;
    this.eventLabelHash = marked ? this.labelHash : hashString(this.eventLabel);
    this.effects = effectsText === undefined ? undefined : parseEffects(file, effectsText);
  }

  /** The names that the segment reads and writes which begins here, as people call them. */
  get touched(): { readonly reads: readonly string[]; readonly writes: readonly string[] } {
    return touchedNames(this.effectsText ?? '');
  }

  position(): string {
    return this.where;
  }
}

/** The site of a call that no instrumented code made. */
export const unknownSite = new SourceSite('(not instrumented)', 'unknown', 0, 0, '', '', false);

const sites: SourceSite[] = [unknownSite];
const bases = new Map<string, { base: number; table: readonly SiteTuple[] }>();

/** The site of a number; 0 is the unknown site. */
export function siteAt(index: number): SourceSite {
  return sites[index];
}

/**
 * Registers the sites of a file and returns the number of the first.
 * @param path root-relative posix path
 * @param stub whether promises and timers made in this file stand in for I/O
 */
export function registerFile(path: string, table: readonly SiteTuple[], stub: boolean): number {
  const known = bases.get(path);
  if (known !== undefined && sameTable(known.table, table)) return known.base;
  const base = sites.length;
  bases.set(path, { base, table });
  for (const [kind, line, column, fn, text, effects] of table) {
    sites.push(new SourceSite(path, kind, line, column, fn, text, stub, effects));
  }
  return base;
}

/** Every site registered so far, the unknown one first. */
export function allSites(): readonly SourceSite[] {
  return sites;
}

/** Files are evaluated anew in every trial, and so is their table. */
function sameTable(a: readonly SiteTuple[], b: readonly SiteTuple[]): boolean {
  return a.length === b.length && a.every((tuple, i) => sameTuple(tuple, b[i]));
}

function sameTuple(a: SiteTuple, b: SiteTuple): boolean {
  return (
    a[0] === b[0] &&
    a[1] === b[1] &&
    a[2] === b[2] &&
    a[3] === b[3] &&
    a[4] === b[4] &&
    a[5] === b[5]
  );
}
