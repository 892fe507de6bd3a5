/** The blocks of code in a page of the docs. */

import fs from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');

export interface Block {
  readonly line: number;
  /** What stands behind the fence, for instance `ts`. */
  readonly info: string;
  readonly code: string;
}

/** @param page relative to the root */
export function blocksOf(page: string): Block[] {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^ *```(.*)\n([^]*?)^ *```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    info: match[1]!.trim(),
    code: match[2]!,
  }));
}
