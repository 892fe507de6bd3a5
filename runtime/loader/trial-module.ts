/**
 * The `module` object of an evaluated file.
 *
 * It is a `Module` to everybody who looks, but not made by Node's constructor: that one keeps a
 * weak table of parents, and with new modules in every trial the garbage collector would spend most
 * of its time there.
 */

import Module from 'node:module';

export class TrialModule {
  readonly id: string;
  readonly filename: string;
  exports: unknown = {};
  loaded = false;
  readonly children: NodeModule[] = [];
  readonly parent: NodeModule | undefined;
  /** Tools replace it to answer the requires of one module. */
  require: unknown = undefined;
  #searchPaths: readonly string[];
  #paths: string[] | undefined;

  constructor(
    file: string,
    readonly path: string,
    searchPaths: readonly string[],
    parent: NodeModule | undefined,
  ) {
    this.id = this.filename = file;
    this.parent = parent;
    this.#searchPaths = searchPaths;
    parent?.children.push(this as unknown as NodeModule);
  }

  get paths(): string[] {
    return (this.#paths ??= [...this.#searchPaths]);
  }

  set paths(paths: string[]) {
    this.#paths = paths;
  }
}

Object.setPrototypeOf(TrialModule.prototype, Module.prototype);
TrialModule.prototype.constructor = Module;
