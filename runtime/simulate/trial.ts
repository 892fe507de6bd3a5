/**
 * One trial of `simulate`: the body runs once, in a simulation of its own, under one plan.
 */

import { DeadlockError, UncontrolledError } from '../errors.js';
import type { ScopePlan } from '../explore/plan.js';
import { faultsOfRun } from '../explore/swarm.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { mix } from '../kernel/hash.js';
import { describeFailure } from '../mocha/failure.js';
import { StackMapper } from '../mocha/stack-mapper.js';
import type { Failure } from '../mocha/types.js';
import type { Faults } from '../node/faults.js';
import { pristine } from '../node/pristine.js';
import { Sim } from '../sim/sim.js';
import type { Scheduler } from '../tasks/scheduler.js';

/** What is run: once in every trial, so its state has to be made inside it. */
export type Body = (sim: Sim) => unknown;

/** What came of one trial; as far as it goes it is what the trial of a test file gives. */
export interface BodyRun {
  readonly tests: readonly [
    { readonly title: string; readonly state: 'passed' | 'failed'; readonly failure?: Failure },
  ];
  readonly digest: number;
  readonly shape: number;
}

/** The scope of the body. It is part of no text: deviations without a scope are the body's. */
export const TITLE = 'simulate';

const MAX_STEPS = 200_000;
const MAX_STALL_MS = 10;

let stacks: StackMapper | undefined;

/**
 * Runs the body, in one synchronous call from a plain macrotask.
 * @param faults those that can strike, of which a swarm leaves some out
 * @param observe called before anything runs, to attach recorders
 * @throws {UncontrolledError} when the body waits for something that detsim cannot simulate
 */
export function runBody(
  body: Body,
  plan: ScopePlan,
  faults: Faults,
  observe?: (scheduler: Scheduler) => void,
): BodyRun {
  const maxStall = MAX_STALL_MS * MILLISECOND;
  const sim = new Sim({ seed: 0 }, { title: TITLE, plan, maxSteps: MAX_STEPS, maxStall });
  const { scheduler, loop } = sim;
  scheduler.faults = faultsOfRun(plan(TITLE).seed, faults);
  observe?.(scheduler);
  let failure: Failure | undefined;
  try {
    sim.runBody(() => body(sim));
  } catch (error) {
    refuseUncontrolled(error, scheduler);
    stacks ??= new StackMapper(pristine.cwd());
    failure = describeFailure(error, stacks);
  } finally {
    scheduler.end();
  }
  const test =
    failure === undefined
      ? ({ title: TITLE, state: 'passed' } as const)
      : ({ title: TITLE, state: 'failed', failure } as const);
  return { tests: [test], digest: loop.digest, shape: mix(loop.order.shape, sim.shape) };
}

/** A body that needs the real world says nothing about schedules. */
function refuseUncontrolled(error: unknown, scheduler: Scheduler): void {
  if (error instanceof UncontrolledError) throw error;
  if (!(error instanceof DeadlockError) || !scheduler.blockedOnUncontrolled) return;
  const [call] = [...scheduler.uncontrolled.values()].filter((one) => one.completesLater);
  throw new Error(
    `simulate: the body waits for ${call.call} (${call.site.position()}), which detsim cannot ` +
      'simulate. Put a stand-in in its place for this test.',
  );
}
