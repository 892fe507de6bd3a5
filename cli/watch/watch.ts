/**
 * Watching: sweeps what an edit affects, again and again.
 *
 * An edit while a sweep runs ends that one early; what it has not swept to its end is swept again
 * together with what the edit affects. Between sweeps worker processes stand by with mocha loaded
 * and nothing of the project, so the first trial after an edit waits for no process to start.
 */

import { UserError } from '../errors.js';
import type { Overlay } from '../overlay/overlay.js';
import type { SweepReport } from '../report/model.js';
import type { Lane } from '../sweep/lane.js';
import { LocalLane } from '../sweep/local-lane.js';
import type { Sweep, SweepOptions } from '../sweep/sweep.js';
import type { ProjectSetup } from '../project.js';
import { affectedBy, concernsAll, importsOf, type Imports } from './affected.js';
import { Edits } from './edits.js';

/** The project as it is now. */
export interface Compiled {
  readonly setup: ProjectSetup;
  readonly workers: number;
  readonly overlay: Overlay;
  /** Files that mocha loads before any test, absolute. */
  readonly required: readonly string[];
}

export interface WatchOptions {
  /** Reads the settings, and compiles what has changed. */
  readonly compile: () => Compiled;
  readonly sweep: (compiled: Compiled, place: Pick<SweepOptions, 'specs' | 'lanes'>) => Sweep;
  /** A sweep begins. */
  readonly onBegin: (specs: readonly string[], compiled: Compiled) => void;
  readonly onReport: (report: SweepReport, compiled: Compiled) => void;
  /** The project cannot be compiled as it is, or not be swept. */
  readonly onError: (error: UserError) => void;
}

export class Watch {
  private edited = new Set<string>();
  /** Edits that the next sweep has to make up for, where the project did not compile. */
  private readonly owed = new Set<string>();
  private unfinished = new Set<string>();
  private all = true;
  private imports: Imports = new Map();
  private standby: LocalLane[] = [];
  /** What they were told of the project. */
  private state = '';
  private running: Sweep | undefined;
  private ended = false;
  private wake: () => void = () => undefined;

  constructor(private readonly options: WatchOptions) {}

  /** Sweeps after each edit, until `end` is called. @param root the folder that is watched */
  async run(root: string): Promise<void> {
    const edits = new Edits(root, [], (files) => this.note(files));
    try {
      while (!this.ended) {
        await this.once();
        if (this.ended || this.edited.size > 0) continue;
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      edits.close();
      this.dismiss();
    }
  }

  end(): void {
    this.ended = true;
    this.running?.interrupt();
    this.wake();
  }

  private note(files: Set<string>): void {
    const known = [...this.imports.values()];
    const relevant = [...files].filter(
      (file) => concernsAll(file) || isCode(file) || known.some((reached) => reached.has(file)),
    );
    if (relevant.length === 0) return;
    for (const file of relevant) this.edited.add(file);
    this.running?.interrupt();
    this.wake();
  }

  private async once(): Promise<void> {
    for (const file of this.edited) this.owed.add(file);
    this.edited = new Set();
    try {
      await this.sweep(this.owed);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.options.onError(error);
    }
  }

  /** @param edited since the last time that the project was compiled */
  private async sweep(edited: Set<string>): Promise<void> {
    const before = this.imports;
    const { all } = this;
    const compiled = this.options.compile();
    const { setup, overlay, required } = compiled;
    this.imports = importsOf(overlay, setup.specs);
    const loaded = importsOf(overlay, required);
    const everything =
      all || [...edited].some(concernsAll) || affectedBy(edited, loaded).length > 0;
    this.all = false;
    const affected = new Set([
      ...this.unfinished,
      ...affectedBy(edited, before),
      ...affectedBy(edited, this.imports),
    ]);
    const specs = setup.specs.filter((spec) => everything || affected.has(spec));
    edited.clear();
    if (specs.length === 0) return;
    // Those that stand by know the project as it was set up then.
    const state = JSON.stringify(setup);
    if (everything || state !== this.state) this.dismiss();
    this.state = state;
    const lanes = (most: number): Lane[] => this.lanes(compiled, most);
    this.options.onBegin(specs, compiled);
    this.running = this.options.sweep(compiled, { specs, lanes });
    try {
      const report = await this.running.run();
      const interrupted = report.cutShort === 'interrupted';
      this.unfinished = new Set(interrupted ? specs : []);
      if (!interrupted) this.options.onReport(report, compiled);
    } finally {
      this.running = undefined;
    }
    if (!this.ended) this.standBy(compiled);
  }

  private lanes({ setup, workers }: Compiled, most: number): Lane[] {
    const count = Math.min(workers, most);
    const ready = this.standby.splice(0, count);
    return [...ready, ...Array.from({ length: count - ready.length }, () => new LocalLane(setup))];
  }

  private standBy({ setup, workers }: Compiled): void {
    while (this.standby.length < workers) this.standby.push(new LocalLane(setup));
  }

  private dismiss(): void {
    for (const lane of this.standby.splice(0)) lane.close();
  }
}

function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file);
}
