/**
 * Where the traces of a finding go: a folder named after its test, the same in every sweep.
 */

import path from 'node:path';

/** Long titles are cut: there are file systems with short paths. */
const NAME_MAX = 60;

export class TraceFolders {
  private readonly taken = new Set<string>();

  /** @param root the project's root, absolute */
  constructor(private readonly root: string) {}

  /** The folder for the next finding of a test. */
  next(title: string): string {
    const words = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const slug = words.replace(/^-/, '').slice(0, NAME_MAX).replace(/-$/, '') || 'test';
    let name = slug;
    for (let i = 2; this.taken.has(name); i++) name = `${slug}-${i}`;
    this.taken.add(name);
    return path.join(this.root, '.detsim', 'findings', name);
  }
}
