/**
 * Programs of hosts in a trial: files of the project, compiled as all others, in registries of
 * their own. Packages that are not instrumented are loaded once a process, for all hosts.
 */

import path from 'node:path';
import type { Loader } from '../loader/loader.js';
import type { ProgramLoader } from './programs.js';

export class TrialPrograms implements ProgramLoader {
  /** @param spec the test file, absolute */
  constructor(
    private readonly loader: Loader,
    private readonly spec: string,
  ) {}

  find(program: string, from: string | undefined): string {
    const { overlay } = this.loader;
    const importers = [
      ...(from === undefined ? [] : [path.resolve(overlay.root, from)]),
      this.spec,
    ];
    for (const importer of importers) {
      const file = path.resolve(path.dirname(importer), program);
      if (overlay.has(file)) return file;
      const found = this.loader.outside(() => overlay.resolve(program, importer, 'import'));
      if (found.kind === 'overlay') return found.file;
    }
    const near = path.relative(overlay.root, path.dirname(importers[0]!)) || '.';
    throw new Error(
      `The program of a host, "${program}", is no file of this project. Give its path relative to ` +
        `the file that calls (${near}/), for instance "./server.ts".`,
    );
  }

  evaluate(file: string): unknown {
    const registry = this.loader.beside();
    return registry.isEsModule(file) ? registry.importFile(file) : registry.require(file);
  }
}
