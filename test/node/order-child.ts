/**
 * Runs every program of programs/ on plain Node, one after another, each from a timer
 * callback, and prints what they logged as one JSON document.
 */

import { orderPrograms } from './programs/order.js';
import { surfacePrograms } from './programs/surface.js';

/** Long enough for every program, whose timers are at most 10 ms. */
const SPAN = 40;

async function main(): Promise<void> {
  process.removeAllListeners('warning');
  const logs: Record<string, unknown[]> = {};
  for (const [name, program] of Object.entries({ ...orderPrograms, ...surfacePrograms })) {
    const log: unknown[] = (logs[name] = []);
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        setTimeout(resolve, SPAN);
        const result = program((...values) => void log.push(...values));
        if (result instanceof Promise) result.catch((error: unknown) => log.push(String(error)));
      }, 1);
    });
  }
  process.stdout.write(JSON.stringify(logs));
}

void main();
