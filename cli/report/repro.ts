/**
 * The commands that reproduce a finding, for pasting into a shell in the working directory.
 */

import type { Origin } from '../../runtime/explore/origin.js';
import { assign, grepPattern, quote } from '../../runtime/explore/quote.js';

export interface ReproTarget {
  /** Path of the spec file, relative to the working directory. */
  readonly file: string;
  /** Full title of the one test to run; undefined to run the whole file. */
  readonly test: string | undefined;
  /** All full titles of the file. */
  readonly titles: readonly string[];
  /** Variables that carry options of the command line, which the config file does not know. */
  readonly environment: Readonly<Record<string, string>>;
}

export function reproduce(of: Origin, target: ReproTarget): string {
  const what: Record<string, string> =
    'seed' in of ? { DETSIM_SEED: String(of.seed) } : { DETSIM_REPLAY: of.schedule };
  return command({ ...target.environment, ...what }, target);
}

function command(environment: Readonly<Record<string, string>>, target: ReproTarget): string {
  const { file, test, titles } = target;
  const variables = Object.entries(environment).map(([name, value]) => assign(name, value));
  const grep = test === undefined ? [] : ['--grep', quoteTitle(grepPattern(test, titles))];
  return [...variables, 'npx mocha --require detsim/register', quote(file), ...grep].join(' ');
}

/** A title is always in quotes, so that one word reads like several. */
function quoteTitle(pattern: string): string {
  const quoted = quote(pattern);
  return quoted === pattern ? `"${pattern}"` : quoted;
}
