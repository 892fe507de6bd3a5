/**
 * Scenarios: tests of whole systems, in files of their own or beside other tests.
 *
 * A scenario is a test of mocha whose body gets the simulation in which it runs. So all that a
 * sweep does with a test it does with a scenario: reports, minimizing, replay, the line that
 * reproduces it.
 */

import { checkFunction, checkString } from '../kernel/arguments.js';
import { Sim } from '../sim/sim.js';
import { active, type Scheduler } from '../tasks/scheduler.js';
import type { Scope } from '../kernel/choice.js';

/** How much virtual time a scenario may take, in ms: tests have two seconds of it. */
const TIMEOUT = 600_000;

interface Context {
  timeout(ms: number): unknown;
}

type Test = ((title: string, body: (this: Context) => unknown) => void) & {
  skip(title: string, body: () => unknown): void;
};

const sims = new WeakMap<Scope, Sim>();

/**
 * The simulation in which the test that runs now is: its hosts, random numbers, virtual time.
 * @throws an error when the code does not run in a simulation
 */
export function currentSim(): Sim {
  const { scheduler } = active;
  if (scheduler === undefined || scheduler.ended) {
    throw new Error(
      'currentSim: this code does not run in a simulation. Run the test with detsim sweep, or with ' +
        'mocha and the variables of a line that a sweep has printed.',
    );
  }
  return simOf(scheduler);
}

function simOf(scheduler: Scheduler): Sim {
  const { scope } = scheduler.scope.task;
  let sim = sims.get(scope);
  if (sim === undefined) sims.set(scope, (sim = new Sim({}, scheduler)));
  return sim;
}

/**
 * Defines a scenario, as `it` of mocha defines a test. Under plain mocha, without a simulation, it
 * is skipped.
 * @param body gets the simulation, which runs already, and goes on while it awaits
 */
export function scenario(name: string, body: (sim: Sim) => unknown): void {
  checkString('scenario', 'the name', name);
  checkFunction('scenario', 'the body', body);
  const { it } = globalThis as { it?: Test };
  if (it === undefined) {
    throw new Error(
      `scenario "${name}": scenarios are run by detsim sweep, or by mocha. There is no mocha here.`,
    );
  }
  if (active.scheduler === undefined) {
    it.skip(name, () => undefined);
    return;
  }
  it(name, function () {
    this.timeout(TIMEOUT);
    return body(currentSim());
  });
}
