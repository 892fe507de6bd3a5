/**
 * What Node's own loader of ES modules reads: the file of a module that a package imports in the
 * middle of a simulation.
 *
 * It reads by `fs/promises`, as a program does. But it is no I/O of the program, and a later
 * simulation finds the module loaded: so it takes no time, and nothing is decided about it.
 */

import { constants } from 'node:fs';
import { stackHere } from '../../tasks/awaiting-stack.js';
import { textOf } from './calls.js';

const LOADER = 'node:internal/modules/esm/';
const CODE = /\.([cm]?[jt]sx?|json|wasm|node)$/;

/** Whether an `open` for a promise comes from the loader. */
export function isModuleLoad([path, flags]: readonly unknown[]): boolean {
  if (flags !== constants.O_RDONLY || !CODE.test(textOf(path as string))) return false;
  return stackHere().includes(LOADER);
}
