/**
 * Failures of the power at a place that a test chooses.
 */

import { simulated } from '../simulated.js';
import { filesOf } from './requests.js';

/**
 * Says that the power may fail here. Whether it does is a choice: if so, what was not synced to the
 * disk of this host is lost, kept or torn, and the program goes on with the disk as it is after the
 * restart. What is open stays open. Does nothing outside a simulation.
 */
export function powerMayFail(): void {
  const scheduler = simulated();
  if (scheduler === undefined) return;
  const files = filesOf(scheduler);
  if (files.powerFails()) files.losePower();
}

/** `globalThis.powerMayFail`, which is there only inside a simulation, and can be replaced. */
export function installPowerMayFail(): void {
  const name = 'powerMayFail';
  if (name in globalThis) return;
  Object.defineProperty(globalThis, name, {
    get: () => (simulated() === undefined ? undefined : powerMayFail),
    set: (value: unknown) => {
      Object.defineProperty(globalThis, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    },
    enumerable: false,
    configurable: true,
  });
}
