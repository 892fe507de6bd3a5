/** How the project's package manager runs an installed command: told by its lock file. */

import path from 'node:path';
import { isFile } from './overlay/disk.js';

const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm exec'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npx'],
] as const;

/** The lock file of a workspace is in one of the folders above. */
export function commandOf(root: string, command: string): string {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const found = LOCKS.find(([name]) => isFile(path.join(folder, name)));
    if (found !== undefined) return `${found[1]} ${command}`;
    if (path.dirname(folder) === folder) return `npx ${command}`;
  }
}
