/**
 * The programs of the benchmark of novelty: small services with much interleaving. Whatever has
 * gone wrong by the end of a run is named, so that each bug counts for itself.
 */

import { bank } from './bank.js';
import { cache } from './cache.js';
import { log } from './log.js';
import { pool } from './pool.js';
import { retries } from './retries.js';
import { saga } from './saga.js';

export interface Service {
  readonly name: string;
  /** What was seen to go wrong, as the test says it. */
  readonly bugs: readonly string[];
  /** The file `src/NAME.ts`. */
  readonly source: string;
  /** The file `test/NAME.test.ts`. */
  readonly spec: string;
}

export const SERVICES: readonly Service[] = [bank, pool, retries, cache, log, saga];
