/**
 * The last stop of every error: the user's to solve, or a defect of detsim.
 */

import { UserError } from '../errors.js';
import { colorsFor } from './style.js';

/** Prints an error to standard error. @returns the exit status: 2, or 70 for a defect of ours */
export function reportError(error: unknown): number {
  const c = colorsFor(process.stderr);
  if (error instanceof UserError) {
    process.stderr.write(`${c.red('detsim:')} ${error.message}\n`);
    return 2;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `${c.red('detsim:')} this is a defect of detsim, not of your project. Please report it, with the ` +
      `lines below.\n\n${text}\n`,
  );
  return 70;
}
