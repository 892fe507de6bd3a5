/**
 * Finds the places of a trace again in code that has been edited since.
 *
 * A site is known by its fingerprint: file, kind, enclosing function, source text, of a function
 * without a name what stands first in it, and which of those that are alike it is. Lines and
 * columns are no part of it, so that an edit elsewhere changes nothing. Tasks that are called after
 * a line (`call:10`) are named anew after the site at which they start.
 */

import type { Trace, TraceSite, TraceTask } from './format.js';

export interface Relocated {
  /** The same trace, with the places of the code as it is now. */
  readonly trace: Trace;
  /** How many of its sites are elsewhere now. */
  readonly moved: number;
  /** Sites that are not found any more. */
  readonly lost: readonly TraceSite[];
}

/** @param now all sites of the code as it is, each with its `nth` */
export function relocate(trace: Trace, now: readonly TraceSite[]): Relocated {
  const places = new Map(now.map((site) => [fingerprint(site), site]));
  const lost: TraceSite[] = [];
  let moved = 0;
  const sites = trace.sites.map((site) => {
    if (!/:\d+:\d+$/.test(site.position) || site.kind === 'unknown') return site;
    const found = places.get(fingerprint(site));
    if (found === undefined) lost.push(site);
    else if (found.position !== site.position) moved++;
    return found ?? site;
  });
  const tasks = renameTasks(trace, sites);
  return { trace: { ...trace, sites, tasks }, moved, lost };
}

function fingerprint({ position, kind, fn, text, holds, nth = 1 }: TraceSite): string {
  return [position.replace(/:\d+:\d+$/, ''), kind, fn, text, holds, nth].join('\n');
}

/** Tasks begin at a site; where their name has its line in it, the name goes with the line. */
function renameTasks(trace: Trace, sites: readonly TraceSite[]): TraceTask[] {
  const lines = new Map<string, string>();
  for (const event of trace.events) {
    if (event.type !== 'start') continue;
    const { path } = trace.tasks[event.task];
    const own = path.slice(path.lastIndexOf('/') + 1);
    const [, kind, , ordinal] = /^(\w+):(\d+)\.(\d+)$/.exec(own) ?? [];
    const line = /:(\d+):\d+$/.exec(sites[event.site].position)?.[1];
    if (kind !== undefined && line !== undefined) lines.set(path, `${kind}:${line}.${ordinal}`);
  }
  return trace.tasks.map(({ scope, path }) => {
    const names = path.split('/');
    const renamed = names.map((name, i) => lines.get(names.slice(0, i + 1).join('/')) ?? name);
    return { scope, path: renamed.join('/') };
  });
}
