/**
 * Colours, when the output is a terminal that wants them.
 */

import { createColors } from 'picocolors';
import type { WriteStream } from 'node:tty';

export type Colors = ReturnType<typeof createColors>;

/** `NO_COLOR` and a stream that is no terminal mean none; `FORCE_COLOR` means colours anyway. */
export function colorsFor(stream: NodeJS.WriteStream | WriteStream): Colors {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return createColors(false);
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return createColors(FORCE_COLOR !== '0');
  return createColors(stream.isTTY && TERM !== 'dumb');
}

export const noColors: Colors = createColors(false);
