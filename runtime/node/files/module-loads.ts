/**
 * What Node's own loader of ES modules reads: the file of a module that a package imports in the
 * middle of a simulation.
 *
 * It reads by `fs/promises`, as a program does. But it is no I/O of the program, and a later
 * simulation finds the module loaded: so it takes no time, and nothing is decided about it.
 */

import { constants } from 'node:fs';
import { textOf } from './calls.js';

const LOADER = 'node:internal/modules/esm/';
const CODE = /\.([cm]?[jt]sx?|json|wasm|node)$/;

/** From the binding up to the loader, with some to spare. */
const FRAMES = 30;

/** Whether an `open` for a promise comes from the loader. */
export function isModuleLoad([path, flags]: readonly unknown[]): boolean {
  if (flags !== constants.O_RDONLY || !CODE.test(textOf(path as string))) return false;
  const { prepareStackTrace, stackTraceLimit } = Error;
  Object.assign(Error, { prepareStackTrace: undefined, stackTraceLimit: FRAMES });
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return stack?.includes(LOADER) === true;
}
