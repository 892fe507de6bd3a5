/**
 * What ends the run of a scenario with an error. Each says the seed, the step and the virtual time,
 * from which the same run can be had again.
 */

/** Where in a run something happened. */
export interface Point {
  readonly seed: number;
  /** How many events had run. */
  readonly step: number;
  /** Virtual nanoseconds since the start. */
  readonly at: number;
}

/** Virtual time as people read it: `1.532 s`, `20 ms`, `5 ns`. */
export function formatTime(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${nanoseconds / 1e9} s`;
  if (nanoseconds >= 1e6) return `${nanoseconds / 1e6} ms`;
  if (nanoseconds >= 1e3) return `${nanoseconds / 1e3} µs`;
  return `${nanoseconds} ns`;
}

function formatPoint({ seed, step, at }: Point): string {
  return `seed ${seed}, step ${step}, virtual time ${formatTime(at)}`;
}

/** The cause of an error that a callback threw: where in the run it did. */
export class SimulationPoint extends Error implements Point {
  static {
    SimulationPoint.prototype.name = 'SimulationPoint';
  }
  readonly seed: number;
  readonly step: number;
  readonly at: number;

  constructor(point: Point) {
    super(`thrown in the simulation at ${formatPoint(point)}`);
    ({ seed: this.seed, step: this.step, at: this.at } = point);
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** An invariant does not hold. Its `cause` is what the check threw. */
export class InvariantError extends Error implements Point {
  static {
    InvariantError.prototype.name = 'InvariantError';
  }
  readonly seed: number;
  readonly step: number;
  readonly at: number;

  constructor(
    /** The name of the invariant. */
    readonly invariant: string,
    point: Point,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`invariant "${invariant}" does not hold at ${formatPoint(point)}: ${reason}`, { cause });
    ({ seed: this.seed, step: this.step, at: this.at } = point);
  }
}

/** What should happen in the end has not happened in time. */
export class LivenessError extends Error implements Point {
  static {
    LivenessError.prototype.name = 'LivenessError';
  }
  readonly seed: number;
  readonly step: number;
  readonly at: number;

  constructor(
    /** The name of the condition. */
    readonly condition: string,
    /** How long it was waited for, in virtual nanoseconds. */
    readonly within: number,
    /** Whether nothing was pending any more that could have brought it about. */
    readonly idle: boolean,
    point: Point,
  ) {
    const why = idle ? ', and nothing is pending that could still bring it about' : '';
    super(
      `"${condition}" did not come true within ${formatTime(within)}${why} ` +
        `(${formatPoint(point)})`,
    );
    ({ seed: this.seed, step: this.step, at: this.at } = point);
  }
}

/** The step budget of a simulation is spent. */
export class StepBudgetError extends Error implements Point {
  static {
    StepBudgetError.prototype.name = 'StepBudgetError';
  }
  readonly seed: number;
  readonly step: number;
  readonly at: number;

  constructor(point: Point) {
    super(
      `the budget of ${point.step} steps is spent at virtual time ${formatTime(point.at)} ` +
        `(seed ${point.seed}), and events are still pending. Look for something that starts itself ` +
        'again and again, or give the simulation a higher maxSteps.',
    );
    ({ seed: this.seed, step: this.step, at: this.at } = point);
  }
}
