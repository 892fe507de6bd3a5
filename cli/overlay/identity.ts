/**
 * What compiled this: a hash of the compiler's own code, so that an overlay made by another version
 * of detsim (or by a copy under development) is never taken for a current one.
 */

import path from 'node:path';
import { hashOf, readdirSync, readText } from './disk.js';

const transformerFolder = path.resolve(__dirname, '../../transformer');
let identity: string | undefined;

/** The hash of all code that a compiled file depends on; TypeScript's version is part of ours. */
export function compilerIdentity(): string {
  identity ??= hashOf(...[__dirname, transformerFolder].flatMap(codeIn).map(readText));
  return identity;
}

function codeIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .sort()
    .map((file) => path.join(folder, file));
}
