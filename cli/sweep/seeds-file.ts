/**
 * `.detsim/seeds.json`: seeds that have failed. The next sweep runs them first, so that a bug that
 * was found once is found at once while it is there.
 *
 * Entries are sorted and stand one on a line, so that a version control system merges the file.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.js';

export interface FailingSeed {
  /** The test file, relative to the root, with `/`. */
  readonly file: string;
  /** Full title of the test that failed. */
  readonly test: string;
  readonly seed: number;
}

/** Where they are kept between sweeps. */
export interface SeedStore {
  read(): FailingSeed[];
  write(seeds: readonly FailingSeed[]): void;
}

/** The file of a project. */
export function seedsFile(root: string): SeedStore {
  return { read: () => readSeeds(root), write: (seeds) => writeSeeds(root, seeds) };
}

function nameOf(root: string): string {
  return path.join(root, '.detsim', 'seeds.json');
}

/** @throws UserError when there is such a file and it cannot be read */
function readSeeds(root: string): FailingSeed[] {
  const name = nameOf(root);
  let text: string;
  try {
    text = readFileSync(name, 'utf8');
  } catch {
    return [];
  }
  try {
    const entries = JSON.parse(text) as { file: string; test: string; seed: string }[];
    return entries.map(({ file, test, seed }) => {
      const valid = typeof file === 'string' && typeof test === 'string' && /^\d+$/.test(seed);
      if (!valid)
        throw new Error(`"file", "test" and "seed" are needed in ${JSON.stringify(seed)}`);
      return { file, test, seed: Number(seed) };
    });
  } catch (error) {
    const why = (error as Error).message.replace(/\s+/g, ' ');
    throw new UserError(
      `${path.relative(process.cwd(), name)} cannot be read: ${why}. ` +
        'Repair it, for instance where a merge has left its marks, or delete it: the next sweep ' +
        'writes it anew.',
    );
  }
}

/** Writes the file; without entries there is none. */
function writeSeeds(root: string, seeds: readonly FailingSeed[]): void {
  const name = nameOf(root);
  if (seeds.length === 0) {
    rmSync(name, { force: true });
    return;
  }
  const lines = seeds.map(({ file, test, seed }) =>
    JSON.stringify({ file, test, seed: String(seed) }),
  );
  mkdirSync(path.dirname(name), { recursive: true });
  writeFileSync(name, `[\n${[...new Set(lines)].sort().join(',\n')}\n]\n`);
}
