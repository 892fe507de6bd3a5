/**
 * What a worker says of one failing seed: the recorded run, and what the minimizer made of it.
 */

import type { Flip } from '../../runtime/explore/flip.js';
import type { RungName } from '../../runtime/kernel/rung.js';
import type { SeenFailure } from './protocol.js';

/** A run that was recorded. */
export interface RecordedRun {
  /** The text of the trace file. */
  readonly trace: string;
  /** How many decisions the trace holds. */
  readonly decisions: number;
}

/** Two steps: the test fails when the first comes before the second, and passes otherwise. */
export type SteppedFlip = Pick<Flip, 'first' | 'second' | 'shared'>;

export interface Investigation {
  /** Undefined when the seed did not fail in this way again. */
  readonly recorded: RecordedRun | undefined;
  /** Whether the test fails with this seed when it is run alone. */
  readonly alone: boolean;
  readonly minimized:
    | (RecordedRun & {
        readonly schedule: string;
        readonly deviations: number;
        readonly rung: RungName;
        readonly sentences: readonly string[];
        /** What has to go wrong for it, each once. */
        readonly needs: readonly string[];
        /** Why `detsim confirm` does not try it, when it does not. */
        readonly unconfirmable: string | undefined;
        readonly flip: (SteppedFlip & { readonly passingTrace: string }) | undefined;
      })
    | undefined;
}

export interface Replay extends RecordedRun {
  readonly failure: SeenFailure | undefined;
  /** The state of the test, or of the worst test of the file. */
  readonly state: string;
  /** What the trial wrote to the console. */
  readonly output: string;
  readonly sentences: readonly string[];
  /** Why `detsim confirm` does not try it, when it does not. */
  readonly unconfirmable: string | undefined;
  /** Calls that detsim does not control, before the end of the run. */
  readonly uncontrolled: readonly { readonly call: string; readonly site: string }[];
}
