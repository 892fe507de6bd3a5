/**
 * `detsim report`: writes the page of the last sweep.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../overlay/project.js';
import { projectName } from '../project.js';
import { formatPage } from '../report/page.js';
import { readLastReport } from '../sweep/last-sweep.js';

/** @returns the exit status */
export function reportCommand({ out }: { out?: string }): number {
  const root = findRoot(process.cwd());
  const page = formatPage(readLastReport(root), root, projectName(root));
  const file = out ?? path.relative(process.cwd(), path.join(root, '.detsim', 'report.html'));
  if (file === '-') {
    process.stdout.write(page);
    return 0;
  }
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, page);
  process.stdout.write(`${file}\n`);
  return 0;
}
