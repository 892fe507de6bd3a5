/**
 * Failures that come of a server which no simulation has: the database that a developer has running
 * beside the tests, for instance. Plain Node would find it there.
 */

import { SimulatedNetwork } from '../node/sockets/network.js';
import type { Scheduler } from '../tasks/scheduler.js';

/** How deep clients wrap the error of a socket in errors of their own. */
const DEEPEST = 5;

/**
 * A sentence about a refused connection to a port on which nobody in the simulation has listened so
 * far; undefined for any other error, and on plain Node.
 */
export function nobodyListens(scheduler: Scheduler, error: unknown): string | undefined {
  if (scheduler.plainNode) return undefined;
  const refused = refusedIn(error, DEEPEST);
  const port = Number(refused?.slice(refused.lastIndexOf(':') + 1));
  if (refused === undefined || SimulatedNetwork.of(scheduler).served.has(port)) return undefined;
  return (
    `Nobody in the simulation has listened on ${refused}, and what runs outside is never asked: ` +
    'start a server in the test, for instance a stand-in, or leave the test out of the sweep.'
  );
}

/** The address and port of a refused connection, whoever tells of it. */
function refusedIn(error: unknown, depth: number): string | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined;
  const [, address] = /\bECONNREFUSED (\S+:\d+)/.exec(error.message) ?? [];
  if (address !== undefined) return address;
  const { errors } = error as { errors?: unknown };
  const inner = [error.cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.map((one) => refusedIn(one, depth - 1)).find((one) => one !== undefined);
}
