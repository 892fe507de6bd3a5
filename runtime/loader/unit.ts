/**
 * A file's code, ready to be run again and again.
 *
 * The engine compiles a file once per process into a function of `module`, `exports` and so on;
 * calling it evaluates the module afresh. Everything else that does not change between trials is
 * kept here as well: where its specifiers lead, and Node's own `require` for it.
 */

import Module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import type { CompiledFile, RequestKind, Resolution } from './types.js';

const { compileFunction, constants } = vm;
const { createRequire } = Module;
const { dirname } = path;
const nodeModulePaths = (Module as unknown as { _nodeModulePaths(from: string): string[] })
  ._nodeModulePaths;

/** Evaluates the module. Modules with top-level await return a promise. */
export type UnitFunction = (
  this: unknown,
  exports: unknown,
  require: unknown,
  module: unknown,
  filename: string,
  folder: string,
  importDynamically: (specifier: unknown) => Promise<unknown>,
) => unknown;

const parameters = ['exports', 'require', 'module', '__filename', '__dirname', '$import'];

/**
 * A file that the loader evaluates itself: one of the overlay, or of a package under `isolate:
 * all`.
 */
export class Unit {
  readonly folder: string;
  /** `module.paths`. */
  readonly searchPaths: readonly string[];
  /** Node's own `require` as seen from the original file. */
  readonly nodeRequire: NodeJS.Require;
  /** Imports that have turned out to lead to a package's ES module with top-level await. */
  readonly asyncImports = new Set<string>();
  /** Whether all that it imports has been found, and nothing there awaits at its top level. */
  synchronous = false;
  private readonly resolutions = {
    require: new Map<string, Resolution>(),
    import: new Map<string, Resolution>(),
  };
  private compiledFunction: UnitFunction | undefined;

  constructor(
    readonly compiled: CompiledFile,
    private readonly find: (specifier: string, file: string, kind: RequestKind) => Resolution,
  ) {
    this.folder = dirname(compiled.file);
    this.searchPaths = nodeModulePaths(this.folder);
    this.nodeRequire = createRequire(compiled.file);
  }

  get file(): string {
    return this.compiled.file;
  }

  resolve(specifier: string, kind: RequestKind): Resolution {
    const known = this.resolutions[kind];
    let resolution = known.get(specifier);
    if (resolution === undefined) {
      resolution = this.find(specifier, this.file, kind);
      known.set(specifier, resolution);
    }
    return resolution;
  }

  /** @throws SyntaxError from the engine */
  get function(): UnitFunction {
    this.compiledFunction ??= compileUnit(this.compiled);
    return this.compiledFunction;
  }
}

/**
 * An ES module may declare names that are parameters here (`const __filename = ...`), and may await
 * at its top level: its code is wrapped in one more function. The wrapper stands in the first line,
 * and the offset takes it out of every position again.
 */
function compileUnit({ code, codeFile, format, topLevelAwait }: CompiledFile): UnitFunction {
  const before =
    format === 'commonjs' ? '' : `"use strict";return (${topLevelAwait ? 'async' : ''}()=>{`;
  const after = format === 'commonjs' ? '' : '\n})()';
  return compileFunction(before + code + after, parameters, {
    filename: codeFile,
    columnOffset: -before.length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as UnitFunction;
}
