/**
 * The ES modules of one registry: linked and evaluated as the specification has it, in text that is
 * CommonJS.
 *
 * The emitted code reads its imports by calls of `require` that stand in its first lines; here they
 * are answered with what an ES module sees of the other.
 */

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommonJsModules } from './commonjs.js';
import { asyncModuleError, isPath, notFoundError } from './errors.js';
import {
  AwaitsAfterAll,
  evaluate,
  newState,
  reachable,
  settleSynchronous,
  type EsRecord,
} from './es-graph.js';
import {
  importStar,
  isEsNamespace,
  namespaceOfCommonJs,
  namespaceOfEsModule,
  type Namespace,
} from './interop.js';
import type { Loader } from './loader.js';
import { isOwnRequest, requireOwn } from './own-copy.js';
import type { Unit } from './unit.js';

const { existsSync } = fs;

/** An ES module of the overlay. */
interface EsModule extends EsRecord {
  readonly unit: Unit;
  readonly module: NodeModule;
  /** What its specifiers have been found to be. */
  readonly imported: Map<string, unknown>;
}

export class EsModules {
  private readonly records = new Map<string, EsModule>();
  /** The module object of each file; it stays when a module has to be linked again. */
  private readonly objects = new Map<string, NodeModule>();
  private readonly failedImports = new Map<string, { readonly reason: unknown }>();
  private readonly namespaces = new Map<unknown, Namespace>();

  constructor(
    private readonly loader: Loader,
    private readonly commonJs: CommonJsModules,
  ) {}

  /** Whether a file of the overlay is an ES module for Node. */
  has(file: string): boolean {
    return this.loader.unit(file).compiled.format === 'module';
  }

  /** `import()` of a file, from within a promise job. */
  async import(file: string): Promise<unknown> {
    if (!this.has(file)) return this.namespaceOf(this.importCommonJs(file, undefined));
    const record = this.linked(file);
    try {
      await evaluate(record);
    } catch (error) {
      if (!(error instanceof AwaitsAfterAll)) throw error;
      this.unlink(record);
      return this.import(file);
    }
    return record.module.exports;
  }

  /** `import()` in a file's code. */
  importer(unit: Unit, module: NodeModule): (specifier: unknown) => Promise<unknown> {
    return async (specifier) => {
      const text = String(specifier);
      await undefined;
      if (isOwnRequest(text)) return requireOwn(text);
      const { dynamicImport } = unit.compiled;
      if (dynamicImport !== 'import') {
        const exports = module.require(text) as unknown;
        return dynamicImport === 'require' ? exports : importStar(exports);
      }
      const resolution = unit.resolve(text, 'import');
      if (resolution.kind === 'overlay') return this.import(resolution.file);
      const found = this.importForeign(text, unit, module);
      return found instanceof AsyncNamespace ? found.namespace : found;
    };
  }

  /** `require` of an ES module. */
  require(file: string): unknown {
    const record = this.linked(file);
    const { state } = record;
    if (state.error !== undefined) throw state.error.reason;
    if (state.status === 'linked') {
      const waiting = reachable(record).find((one) => one.hasTopLevelAwait);
      if (waiting !== undefined) throw asyncModuleError(file, (waiting as EsModule).unit.compiled);
      try {
        if (evaluate(record) !== undefined) throw asyncModuleError(file);
      } catch (error) {
        if (!(error instanceof AwaitsAfterAll)) throw error;
        this.unlink(record);
        throw asyncModuleError(file);
      }
    } else if (state.asyncOrder !== undefined) {
      throw asyncModuleError(file, record.unit.compiled);
    }
    return record.module.exports;
  }

  /** A file's record with the records of all that it imports. */
  private linked(file: string): EsModule {
    const known = this.records.get(file);
    if (known !== undefined) return known;
    const record = this.link(file);
    if (!record.synchronous) {
      settleSynchronous(record);
      reachable(record).filter(isEsModuleRecord).forEach(rememberSynchronous);
    }
    return record;
  }

  private link(file: string): EsModule {
    const known = this.records.get(file);
    if (known !== undefined) return known;
    const unit = this.loader.unit(file);
    const record: EsModule = {
      unit,
      module: this.objects.get(file) ?? this.commonJs.newModule(unit, undefined),
      imported: new Map(),
      hasTopLevelAwait: unit.compiled.topLevelAwait,
      synchronous: unit.synchronous,
      dependencies: [],
      run: () => this.runEsModule(record),
      state: newState(),
    };
    record.module.require = this.importedBy(record);
    this.objects.set(file, record.module);
    this.records.set(file, record);
    // Known to link and to await nothing: its body finds its imports as it goes.
    if (record.synchronous) return record;
    try {
      record.dependencies = unit.compiled.imports
        .filter((specifier) => !isOwnRequest(specifier))
        .map((specifier) => this.dependency(specifier, record));
    } catch (error) {
      this.records.delete(file);
      throw error;
    }
    return record;
  }

  /** Forgets what has not been evaluated, so that it is linked with what is known now. */
  private unlink(root: EsModule): void {
    for (const record of reachable(root)) {
      const { status } = record.state;
      if (status !== 'linked' && status !== 'evaluating') continue;
      record.state.status = 'evaluated';
      if (isEsModuleRecord(record)) this.records.delete(record.unit.file);
    }
  }

  private dependency(specifier: string, importer: EsModule): EsRecord {
    const { unit, module } = importer;
    const resolution = unit.resolve(specifier, 'import');
    if (resolution.kind === 'overlay' && this.has(resolution.file)) {
      return this.link(resolution.file);
    }
    if (resolution.kind === 'node' && isMissingFile(resolution.request, unit)) {
      throw notFoundError(resolution.request, unit.file);
    }
    const run = (): Promise<unknown> | undefined => {
      const found = this.importForeign(specifier, unit, module);
      if (!(found instanceof AsyncNamespace)) {
        importer.imported.set(specifier, found);
        return undefined;
      }
      return found.namespace.then((namespace) => importer.imported.set(specifier, namespace));
    };
    return {
      hasTopLevelAwait: unit.asyncImports.has(specifier),
      synchronous: false,
      dependencies: [],
      run,
      state: newState(),
    };
  }

  private runEsModule({ unit, module }: EsModule): Promise<unknown> | undefined {
    const { function: run, file, folder } = unit;
    const { exports } = module;
    const importer = this.importer(unit, module);
    const result = run.call(undefined, exports, module.require, module, file, folder, importer);
    module.loaded = true;
    return unit.compiled.topLevelAwait ? (result as Promise<unknown>) : undefined;
  }

  /** The `require` that emitted code calls for its static imports. */
  private importedBy(record: EsModule): NodeJS.Require {
    const request = (specifier: string): unknown => {
      if (isOwnRequest(specifier)) return requireOwn(specifier);
      const known = record.imported.get(specifier);
      if (known !== undefined) return known;
      const imported = this.importStatically(specifier, record);
      record.imported.set(specifier, imported);
      return imported;
    };
    return request as NodeJS.Require;
  }

  private importStatically(specifier: string, record: EsModule): unknown {
    const { unit, module } = record;
    const resolution = unit.resolve(specifier, 'import');
    if (resolution.kind === 'overlay' && this.has(resolution.file)) {
      const dependency = this.linked(resolution.file);
      if (!record.dependencies.includes(dependency)) record.dependencies.push(dependency);
      // Only a body that runs ahead of its imports comes here before they are evaluated.
      if (dependency.state.status === 'linked') void evaluate(dependency);
      if (dependency.state.error !== undefined) throw dependency.state.error.reason;
      return dependency.module.exports;
    }
    const found = this.importForeign(specifier, unit, module);
    if (!(found instanceof AsyncNamespace)) return found;
    unit.asyncImports.add(specifier);
    this.loader.forgetSynchronous();
    throw new AwaitsAfterAll();
  }

  /** What an ES module sees of a module that is none of the overlay's ES modules. */
  private importForeign(specifier: string, unit: Unit, parent: NodeModule): unknown {
    const resolution = unit.resolve(specifier, 'import');
    switch (resolution.kind) {
      case 'overlay':
        return this.namespaceOf(this.importCommonJs(resolution.file, parent));
      case 'json':
        return this.namespaceOf(this.commonJs.requireJson(resolution.file, parent));
      case 'types':
        return {};
      case 'node':
        return this.importFromNode(resolution.request, unit, parent);
    }
  }

  /** An import that has failed fails again; a `require` would try again. */
  private importCommonJs(file: string, parent: NodeModule | undefined): unknown {
    const failed = this.failedImports.get(file);
    if (failed !== undefined) throw failed.reason;
    try {
      return this.commonJs.requireFile(file, parent);
    } catch (reason) {
      this.failedImports.set(file, { reason });
      throw reason;
    }
  }

  private importFromNode(request: string, unit: Unit, parent: NodeModule): unknown {
    try {
      return this.namespaceOf(this.commonJs.follow({ kind: 'node', request }, unit, parent));
    } catch (error) {
      const { code } = Object(error) as NodeJS.ErrnoException;
      if (code === 'MODULE_NOT_FOUND' && !isFound(request, unit))
        throw notFoundError(request, unit.file);
      if (code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
      const file = unit.nodeRequire.resolve(request);
      return new AsyncNamespace(import(pathToFileURL(file).href) as Promise<Namespace>);
    }
  }

  /** The same object each time for the same exports, as a namespace is. */
  private namespaceOf(exports: unknown): Namespace {
    let namespace = this.namespaces.get(exports);
    if (namespace === undefined) {
      namespace = isEsNamespace(exports)
        ? namespaceOfEsModule(exports)
        : namespaceOfCommonJs(exports);
      this.namespaces.set(exports, namespace);
    }
    return namespace;
  }
}

/** A package's ES module with top-level await: only Node's own `import()` can load it. */
class AsyncNamespace {
  readonly namespace: Promise<Namespace>;

  constructor(real: Promise<Namespace>) {
    this.namespace = real.then(namespaceOfEsModule);
  }
}

function rememberSynchronous({ unit, synchronous }: EsModule): void {
  if (synchronous) unit.synchronous = true;
}

function isEsModuleRecord(record: EsRecord): record is EsModule {
  return 'unit' in record;
}

/** Whether a request is a path of which the overlay has found that there is nothing. */
function isMissingFile(request: string, unit: Unit): boolean {
  return isPath(request) && !existsSync(path.resolve(unit.folder, request));
}

function isFound(request: string, unit: Unit): boolean {
  try {
    unit.nodeRequire.resolve(request);
    return true;
  } catch {
    return false;
  }
}
