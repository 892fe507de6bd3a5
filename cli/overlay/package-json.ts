/**
 * The package.json files around a project's files: the nearest one of a folder, and what Node reads
 * from it. Each is read once per instance.
 */

import path from 'node:path';
import type { Package } from 'resolve.exports';
import { readJsonIfAny } from './disk.js';

/** A package.json and the folder it is in. */
export interface PackageScope {
  readonly folder: string;
  readonly json: Package;
}

export class PackageScopes {
  private readonly inFolder = new Map<string, PackageScope | undefined>();
  private readonly nearestTo = new Map<string, PackageScope | undefined>();

  /** The package.json in this very folder. */
  in(folder: string): PackageScope | undefined {
    if (this.inFolder.has(folder)) return this.inFolder.get(folder);
    const json = readJsonIfAny<Package>(path.join(folder, 'package.json'));
    const scope = json !== null && typeof json === 'object' ? { folder, json } : undefined;
    this.inFolder.set(folder, scope);
    return scope;
  }

  /** The package.json that rules a folder; like Node, the search does not leave a node_modules. */
  nearest(folder: string): PackageScope | undefined {
    if (this.nearestTo.has(folder)) return this.nearestTo.get(folder);
    const parent = path.dirname(folder);
    const scope =
      path.basename(folder) === 'node_modules'
        ? undefined
        : (this.in(folder) ?? (parent === folder ? undefined : this.nearest(parent)));
    this.nearestTo.set(folder, scope);
    return scope;
  }
}

/** The package's name in the last `node_modules` of a path, for instance `@scope/name`. */
export function packageNameOf(file: string): string | undefined {
  const marker = `${path.sep}node_modules${path.sep}`;
  const at = file.lastIndexOf(marker);
  if (at < 0) return undefined;
  const [first = '', second = ''] = file.slice(at + marker.length).split(path.sep);
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** Splits a bare specifier into the package's name and the entry within it, `.` or `./...`. */
export function splitBareSpecifier(specifier: string): { name: string; entry: string } {
  const parts = specifier.split('/');
  const count = specifier.startsWith('@') ? 2 : 1;
  const rest = parts.slice(count).join('/');
  return { name: parts.slice(0, count).join('/'), entry: rest === '' ? '.' : `./${rest}` };
}
