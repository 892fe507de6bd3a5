/**
 * What a segment does: the stretch of code between two yield points, which nothing interrupts.
 */

/** What is known of one segment. */
export interface Effects {
  /** Names that it may read and may write; see names.ts for what a name is. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether these are all: it calls nothing that is not known. */
  readonly closed: boolean;
  /** Whether its function may end in it. */
  readonly ends: boolean;
}

/**
 * The text form, in the site table of an instrumented file: `closed`, `closed ends` or `open`, then
 * the names read and the names written, each on a line of their own and separated by tabs.
 */
export function effectsText({ reads, writes, closed, ends }: Effects): string {
  const what = closed ? (ends ? 'closed ends' : 'closed') : 'open';
  return [what, reads.join('\t'), writes.join('\t')].join('\n');
}

/** A segment that is being looked at. */
export class Segment {
  private readonly reads = new Set<string>();
  private readonly writes = new Set<string>();
  private open = false;
  private ended = false;

  read(name: string): void {
    this.reads.add(name);
  }

  write(name: string): void {
    this.writes.add(name);
  }

  /** It does something that is not known. */
  opens(): void {
    this.open = true;
  }

  ends(): void {
    this.ended = true;
  }

  /** Does all that another one does. */
  include(other: Effects): void {
    for (const name of other.reads) this.reads.add(name);
    for (const name of other.writes) this.writes.add(name);
    if (!other.closed) this.open = true;
  }

  get effects(): Effects {
    return {
      reads: [...this.reads].sort(),
      writes: [...this.writes].sort(),
      closed: !this.open,
      ends: this.ended,
    };
  }
}

export const OPEN: Effects = { reads: [], writes: [], closed: false, ends: false };
