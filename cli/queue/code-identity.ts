/**
 * What has to be the same on every machine of a sweep, so that a seed means the same on all of
 * them: the project's own code, the versions of its packages, detsim, and Node.
 */

import path from 'node:path';
import type { CompileResult } from '../compile.js';
import { hashOf, readdirSync, readText, readTextIfAny, relativePosix } from '../overlay/disk.js';

/** Plain data: hashes by what they are of. */
export type CodeIdentity = Readonly<Record<string, string>>;

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];

/** Paths are relative to the root, so that checkouts at other paths are equal. */
export function codeIdentity({ overlay, files }: CompileResult): CodeIdentity {
  const { root, project } = overlay;
  const identity: Record<string, string> = {
    Node: process.versions.node,
    detsim: detsimIdentity(),
  };
  const texts = [...LOCK_FILES, ...project.tsconfigs.map((one) => relativePosix(root, one.path))];
  for (const name of texts) {
    const text = readTextIfAny(path.join(root, name));
    if (text !== undefined) identity[name] = hashOf(text);
  }
  for (const file of files) identity[file.path] = hashOf(readText(file.file));
  return identity;
}

/** What differs between two of them, by name. */
export function differences(a: CodeIdentity, b: CodeIdentity): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => a[name] !== b[name]).sort();
}

/** A hash of detsim's own code: a copy under development has the version of the last release. */
function detsimIdentity(): string {
  const dist = path.join(__dirname, '../..');
  const files = ['cli', 'runtime', 'transformer'].flatMap((folder) =>
    readdirSync(path.join(dist, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .sort()
      .map((file) => path.join(folder, file)),
  );
  return hashOf(...files.map((file) => readText(path.join(dist, file))));
}
