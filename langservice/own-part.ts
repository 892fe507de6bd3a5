/**
 * A plugin is a guest: what goes wrong in it is logged, and the host's own answer stands.
 */

import type { TypeScript } from '../transformer/analyzer/index.js';

/** Where errors of ours go: the log of tsserver, or of a language server. */
export type Log = (message: string) => void;

/**
 * Runs a part of ours.
 * @param what it does, for the log
 * @returns undefined when it failed
 * @throws OperationCanceledException, by which hosts give up a request that nobody waits for
 */
export function ownPart<T>(ts: TypeScript, log: Log, what: string, part: () => T): T | undefined {
  try {
    return part();
  } catch (error) {
    if (error instanceof ts.OperationCanceledException) throw error;
    log(`detsim: ${what} failed: ${error instanceof Error ? error.stack : String(error)}`);
    return undefined;
  }
}
