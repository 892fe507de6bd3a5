/**
 * Runs every program of order-programs.ts on plain Node, one after another, each from a timer
 * callback, and prints what they logged as one JSON document.
 */

import { programs } from './order-programs.js';

/** Long enough for every program, whose timers are at most 10 ms. */
const SPAN = 40;

async function main(): Promise<void> {
  process.removeAllListeners('warning');
  const logs: Record<string, unknown[]> = {};
  for (const [name, program] of Object.entries(programs)) {
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
