/**
 * The modules of one trial: what has been evaluated, and its exports.
 *
 * CommonJS files follow Node's loader, cycles and failures included; files that are ES modules
 * follow the ECMAScript specification.
 */

import { CommonJsModules } from './commonjs.js';
import { EsModules } from './es-modules.js';
import type { Loader } from './loader.js';
import { becomePresent } from './node-loader.js';
import type { Unit } from './unit.js';

export class ModuleRegistry {
  private readonly commonJs: CommonJsModules;
  private readonly esModules: EsModules;

  /**
   * @param present whether it takes the place of the one before: Node's loader asks it for files of
   *   the overlay then. The registry of a simulated host stands beside that of the trial.
   */
  constructor(loader: Loader, present = true) {
    this.commonJs = new CommonJsModules(loader, this, present);
    this.esModules = new EsModules(loader, this.commonJs);
    if (present) becomePresent(loader, this.commonJs);
  }

  /**
   * Evaluates a file as `require` does, unless that has been done in this registry.
   * @param file original file, absolute
   * @throws what its evaluation throws, and an ERR_REQUIRE_ASYNC_MODULE for top-level await
   */
  require(file: string): unknown {
    return this.commonJs.requireFile(file, undefined);
  }

  /**
   * Evaluates a file as `import()` does: in a promise job, everything it imports first.
   * @param file original file, absolute
   */
  async importFile(file: string): Promise<unknown> {
    await undefined;
    return this.esModules.import(file);
  }

  /** Whether a file is an ES module for Node, which decides between `require` and `importFile`. */
  isEsModule(file: string): boolean {
    return this.esModules.has(file);
  }

  /** @internal */
  requireEsModule(file: string): unknown {
    return this.esModules.require(file);
  }

  /** @internal */
  importer(unit: Unit, module: NodeModule): (specifier: unknown) => Promise<unknown> {
    return this.esModules.importer(unit, module);
  }
}
