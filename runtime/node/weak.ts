/**
 * `WeakRef` and `FinalizationRegistry`: inside a simulation nothing is collected, since when the
 * garbage collector runs is nobody's to repeat.
 *
 * A weak reference is a real one whose target the simulation holds on to; a registry is a real one
 * that never calls back.
 */

import { patchConstructor } from './facade.js';
import { simulated } from './simulated.js';
import { stateOf } from './state.js';

export function installWeak(): void {
  patchConstructor(globalThis, 'WeakRef', 'globalThis.WeakRef', (args) => {
    const scheduler = simulated();
    if (scheduler !== undefined) stateOf(scheduler).kept.add(args[0]);
    return args;
  });
  patchConstructor(globalThis, 'FinalizationRegistry', 'globalThis.FinalizationRegistry', (args) =>
    simulated() !== undefined && typeof args[0] === 'function' ? [() => {}] : args,
  );
}
