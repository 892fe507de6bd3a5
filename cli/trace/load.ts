/**
 * Loads a trace file for a command: what cannot be read is the user's to solve.
 */

import { readFileSync } from 'node:fs';
import { parseTrace } from '../../runtime/trace/read.js';
import type { Trace } from '../../runtime/trace/format.js';
import { UserError } from '../errors.js';

/** @throws UserError when there is no such file, or it is no trace of a version that is read */
export function loadTrace(file: string): { readonly text: string; readonly trace: Trace } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(
      `The trace ${file} cannot be read: ${(error as Error).message}. Sweeps write traces to ` +
        '.detsim/findings, and their report names them.',
    );
  }
  try {
    return { text, trace: parseTrace(text, file) };
  } catch (error) {
    throw error instanceof SyntaxError ? new UserError(error.message) : error;
  }
}
