/**
 * Files of packages that are evaluated anew for each registry without being instrumented
 * (`isolate: all`).
 *
 * Left to Node are builtins, native addons, ES modules (Node cannot load one twice), mocha and
 * detsim themselves.
 */

import fs from 'node:fs';
import path from 'node:path';
import type { Loader } from './loader.js';
import type { Resolution } from './types.js';
import { Unit } from './unit.js';

const { readFileSync } = fs;
const detsimFolder = path.resolve(__dirname, '../..') + path.sep;
const keptPackages = new RegExp(
  ['mocha', 'detsim'].map((name) => `[\\\\/]node_modules[\\\\/]${name}[\\\\/]`).join('|'),
);

export class PlainFiles {
  private readonly units = new Map<string, Unit | undefined>();

  constructor(private readonly loader: Loader) {}

  /** The code of a file, or undefined where the file is Node's to load. */
  unit(file: string): Unit | undefined {
    if (!this.units.has(file))
      this.units.set(
        file,
        this.loader.outside(() => this.load(file)),
      );
    return this.units.get(file);
  }

  private load(file: string): Unit | undefined {
    if (!/\.c?js$/.test(file) || keptPackages.test(file) || file.startsWith(detsimFolder)) {
      return undefined;
    }
    const unit: Unit = new Unit(
      {
        file,
        path: file,
        format: 'commonjs',
        codeFile: file,
        code: readFileSync(file, 'utf8').replace(/^#!.*/, ''),
        imports: [],
        topLevelAwait: false,
        dynamicImport: 'import',
      },
      (specifier) => this.loader.outside(() => resolveByNode(unit, specifier)),
    );
    try {
      void unit.function;
      return unit;
    } catch {
      // An ES module is no CommonJS text; whatever else is wrong, Node's own error says it best.
      return undefined;
    }
  }
}

function resolveByNode(unit: Unit, specifier: string): Resolution {
  try {
    return { kind: 'node', request: unit.nodeRequire.resolve(specifier) };
  } catch {
    return { kind: 'node', request: specifier };
  }
}
