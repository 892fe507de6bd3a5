/**
 * What the trials of one spec file have exercised, summed up over workers. Sums and sets do not
 * depend on which worker ran a trial.
 */

import type { CoverageProbe } from '../../runtime/explore/coverage.js';
import type { SourceSite } from '../../runtime/tasks/sites.js';

/** What is counted of an await or reaction. */
export interface SiteCounts {
  /** `file:line:column`, relative to the root. */
  readonly position: string;
  readonly kind: string;
  readonly fn: string;
  readonly text: string;
  /** Trials in which something else ran after it could have gone on, and before it did. */
  overtaken: number;
  /** How many of these failed. */
  failing: number;
  /** Whether what it awaits has ever rejected, as far as was looked. */
  rejected: boolean;
}

/** Plain data: what a worker sends, and what a report is made of. */
export interface SiteCoverage {
  readonly sites: readonly SiteCounts[];
  /** Names of functions that ran as tasks of their own. */
  readonly tasks: readonly string[];
  /** Pairs of them of which one took a step while the other was under way. */
  readonly pairs: readonly (readonly [string, string])[];
}

export class CoverageSum {
  private readonly sites = new Map<string, SiteCounts>();
  private readonly tasks = new Set<string>();
  private readonly pairs = new Set<string>();

  /** Counts a trial. @param overtaken see `Scheduler.overtaken` */
  addTrial(overtaken: Iterable<SourceSite>, failed: boolean, probe?: CoverageProbe): void {
    for (const site of overtaken) {
      const counts = this.countsOf(site.position(), site);
      counts.overtaken++;
      if (failed) counts.failing++;
    }
    if (probe === undefined) return;
    for (const site of probe.reached) this.countsOf(site.position(), site);
    for (const site of probe.rejected) this.countsOf(site.position(), site).rejected = true;
    for (const task of probe.tasks) this.tasks.add(task);
    for (const pair of probe.pairs) this.pairs.add(pair);
  }

  add(coverage: SiteCoverage): void {
    for (const site of coverage.sites) {
      const counts = this.countsOf(site.position, site);
      counts.overtaken += site.overtaken;
      counts.failing += site.failing;
      counts.rejected ||= site.rejected;
    }
    for (const task of coverage.tasks) this.tasks.add(task);
    for (const pair of coverage.pairs) this.pairs.add(pair.join('\n'));
  }

  /** Everything so far, in an order of its own. */
  get(): SiteCoverage {
    return {
      sites: [...this.sites.values()].sort((a, b) => byPosition(a.position, b.position)),
      tasks: [...this.tasks].sort(),
      pairs: [...this.pairs].sort().map((pair) => pair.split('\n') as [string, string]),
    };
  }

  private countsOf(
    position: string,
    { kind, fn, text }: Pick<SourceSite, 'fn' | 'text'> & { kind: string },
  ): SiteCounts {
    let counts = this.sites.get(position);
    if (counts === undefined) {
      counts = { position, kind, fn, text, overtaken: 0, failing: 0, rejected: false };
      this.sites.set(position, counts);
    }
    return counts;
  }
}

/** By file, then by line and column as numbers. */
function byPosition(a: string, b: string): number {
  const [x, y] = [a, b].map((position) => /^(.*):(\d+):(\d+)$/.exec(position));
  if (!x || !y || x[1] !== y[1]) return a < b ? -1 : 1;
  return Number(x[2]) - Number(y[2]) || Number(x[3]) - Number(y[3]);
}
