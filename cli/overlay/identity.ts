/**
 * What compiled this: a hash of the compiler's own code, so that an overlay made by another version
 * of detsim (or by a copy under development) is never taken for a current one.
 */

import path from 'node:path';
import { hashOf, readdirSync, readText } from './disk.js';

const codeFolder = path.resolve(__dirname, '../../transformer');
let identity: string | undefined;

export function compilerIdentity(): string {
  if (identity === undefined) {
    const files = readdirSync(codeFolder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .sort();
    identity = hashOf('overlay 1', ...files.map((file) => readText(path.join(codeFolder, file))));
  }
  return identity;
}
