/**
 * Loads instrumented code.
 *
 * A `Loader` lives as long as its process and keeps what does not change; `fresh()` gives a
 * registry in which every module is evaluated anew, at the cost of a function call a file. Packages
 * that are not instrumented are loaded by Node, once a process, unless `isolate` is `all`.
 */

import { PlainFiles } from './plain-files.js';
import { ModuleRegistry } from './registry.js';
import type { OverlaySource } from './types.js';
import { Unit } from './unit.js';

export interface LoaderOptions {
  /** What is fresh in each registry: the project's modules, or packages (CommonJS) as well. */
  readonly isolate?: 'modules' | 'all';
  /**
   * Called around all work that is not the program's own: reading and compiling files, and Node's
   * loading of packages. A simulation passes what suspends its virtual sources.
   */
  readonly outside?: <T>(work: () => T) => T;
}

export class Loader {
  /** The files of packages that are evaluated for each registry; undefined when Node keeps them. */
  readonly plainFiles: PlainFiles | undefined;
  readonly outside: <T>(work: () => T) => T;
  private readonly units = new Map<string, Unit>();

  constructor(
    readonly overlay: OverlaySource,
    options: LoaderOptions = {},
  ) {
    this.outside = options.outside ?? ((work) => work());
    this.plainFiles = options.isolate === 'all' ? new PlainFiles(this) : undefined;
  }

  /** An empty registry: no module of the project has been evaluated in it. */
  fresh(): ModuleRegistry {
    return new ModuleRegistry(this);
  }

  /** The same for a process beside the trial: a simulated host. */
  beside(): ModuleRegistry {
    return new ModuleRegistry(this, false);
  }

  /** Some import has turned out to await: what imports it is to be found out again. */
  forgetSynchronous(): void {
    for (const unit of this.units.values()) unit.synchronous = false;
  }

  /**
   * The code of a file of the overlay.
   * @throws an error with position and reason when it cannot be compiled
   */
  unit(file: string): Unit {
    let unit = this.units.get(file);
    if (unit === undefined) {
      unit = this.outside(
        () =>
          new Unit(this.overlay.get(file), (specifier, importer, kind) =>
            this.outside(() => this.overlay.resolve(specifier, importer, kind)),
          ),
      );
      this.units.set(file, unit);
    }
    return unit;
  }
}
