/**
 * What the page of `detsim trace html` is given: the contract between html.ts, which writes it, and
 * the scripts of page/, which read it. References are indices.
 */

export interface PageData {
  readonly test: string;
  readonly file: string;
  /** Seed or schedule of the run. */
  readonly run: string;
  readonly failed: boolean;
  /** `passed`, or the first line of the failure. */
  readonly outcome: string;
  readonly outcomeSite: string;
  readonly sites: readonly PageSite[];
  /** Source lines around the sites, by file and line number. */
  readonly sources: Readonly<Record<string, Readonly<Record<number, string>>>>;
  readonly lanes: readonly string[];
  readonly tasks: readonly string[];
  /** Steps, and decisions that deviate. */
  readonly events: readonly PageEvent[];
  readonly frames: readonly PageFrame[];
}

export interface PageSite {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly fn: string;
  readonly text: string;
  /** The source file does not hold this text at this place any more. */
  readonly moved?: true;
}

export interface PageEvent {
  /** The number of the step; counts from 1. */
  readonly n: number;
  /** Virtual time for people. */
  readonly time: string;
  /** Virtual nanoseconds. */
  readonly at: number;
  readonly lane: number;
  readonly task: number;
  readonly site: number;
  readonly type: 'start' | 'call' | 'resume' | 'deviation' | 'fault';
  /** What happens, in words. */
  readonly what: string;
  readonly frame?: number;
  /** The event in which it was asked for. */
  readonly from?: number;
  /** The event that woke it. */
  readonly by?: number;
  /** Since which event it has waited. */
  readonly since?: number;
  /** How long after it could have gone on, for people. */
  readonly late?: string;
  readonly value?: string;
  readonly threw?: true;
  /** What it does then, in words. */
  readonly then?: string;
  /** The site at which it waits then. */
  readonly waitsAt?: number;
}

export interface PageFrame {
  readonly site: number;
  readonly caller?: number;
}
