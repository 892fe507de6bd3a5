/**
 * The modules of one trial.
 *
 * A registry is what `require.cache` and the table of ES modules are in Node: it decides what has been
 * evaluated and hands out the same exports again. It follows Node's loader for CommonJS, cycles and
 * failures included, and the ECMAScript specification for files that are ES modules.
 */

import Module, { isBuiltin } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
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
import { topLevelAwaitPosition } from './top-level-await.js';
import type { RequestKind } from './types.js';
import type { Unit } from './unit.js';

const { existsSync, readFileSync } = fs;

/** An ES module of the overlay in this registry. */
interface EsModule extends EsRecord {
  readonly unit: Unit;
  readonly module: NodeModule;
  /** What its specifiers have been found to be. */
  readonly imported: Map<string, unknown>;
}

export class ModuleRegistry {
  /** CommonJS and JSON modules by original file: what `require.cache` shows. */
  private readonly modules: Record<string, NodeModule | undefined> = Object.create(null);
  private readonly esModules = new Map<string, EsModule>();
  /** The module object of each ES module; it stays when a module has to be linked again. */
  private readonly esModuleObjects = new Map<string, NodeModule>();
  private readonly failedImports = new Map<string, { readonly reason: unknown }>();
  private readonly namespaces = new Map<unknown, Namespace>();
  private readonly cacheView: NodeJS.Dict<NodeModule>;

  constructor(private readonly loader: Loader) {
    this.cacheView = cacheOf(this.modules);
  }

  /**
   * Evaluates a file as `require` does, unless that has been done in this registry.
   * @param file original file, absolute
   * @throws what its evaluation throws, and an ERR_REQUIRE_ASYNC_MODULE for top-level await
   */
  require(file: string): unknown {
    return this.requireFile(file, undefined);
  }

  /**
   * Evaluates a file as `import()` does: in a promise job, everything it imports first.
   * @param file original file, absolute
   */
  async importFile(file: string): Promise<unknown> {
    // The body of an ES module runs in a promise job.
    await undefined;
    return this.importNow(file);
  }

  /** Whether a file is an ES module for Node, which decides between `require` and `importFile`. */
  isEsModule(file: string): boolean {
    return this.loader.unit(file).compiled.format === 'module';
  }

  private async importNow(file: string): Promise<unknown> {
    if (!this.isEsModule(file)) return this.namespaceOf(this.importCommonJs(file, undefined));
    return this.importEsModule(file);
  }

  // --- CommonJS

  private requireFile(file: string, parent: NodeModule | undefined): unknown {
    const known = this.modules[file];
    if (known !== undefined) {
      if (parent !== undefined && !parent.children.includes(known)) parent.children.push(known);
      return known.exports;
    }
    const unit = this.loader.unit(file);
    if (unit.compiled.format === 'module') return this.requireEsModule(file);
    return this.runCommonJs(unit, parent);
  }

  private runCommonJs(unit: Unit, parent: NodeModule | undefined): unknown {
    const module = this.newModule(unit, parent);
    this.modules[unit.file] = module;
    let failed = true;
    try {
      const { function: run, file, folder } = unit;
      const { exports } = module;
      run.call(exports, exports, module.require, module, file, folder, this.importer(unit, module));
      module.loaded = true;
      failed = false;
    } finally {
      if (failed) delete this.modules[unit.file];
    }
    return module.exports;
  }

  private newModule(unit: Unit, parent: NodeModule | undefined): NodeModule {
    const module = new Module(unit.file, parent);
    module.filename = unit.file;
    module.paths = [...unit.searchPaths];
    module.require = this.requireFunction(unit, module);
    return module;
  }

  private requireFunction(unit: Unit, module: NodeModule): NodeJS.Require {
    const { nodeRequire } = unit;
    const require = ((specifier: string) =>
      this.request(specifier, unit, module)) as NodeJS.Require;
    require.resolve = Object.assign(
      (specifier: string, options?: NodeJS.RequireResolveOptions) => {
        const resolution = options?.paths ? undefined : unit.resolve(specifier, 'require');
        return resolution?.kind === 'overlay' || resolution?.kind === 'json'
          ? resolution.file
          : nodeRequire.resolve(specifier, options);
      },
      { paths: nodeRequire.resolve.paths },
    );
    require.cache = this.cacheView;
    require.main = nodeRequire.main;
    // Deprecated, and still what some test tools look at.
    require.extensions = nodeRequire.extensions;
    return require;
  }

  /** `require(specifier)` in a CommonJS module. */
  private request(specifier: string, unit: Unit, module: NodeModule): unknown {
    if (isOwnRequest(specifier)) return requireOwn(specifier);
    // Node checks the argument, and says what is wrong with it.
    if (typeof specifier !== 'string' || specifier === '') return unit.nodeRequire(specifier);
    const resolution = unit.resolve(specifier, 'require');
    switch (resolution.kind) {
      case 'overlay':
        return this.requireFile(resolution.file, module);
      case 'json':
        return this.requireJson(resolution.file, module);
      case 'types':
        return {};
      case 'node':
        return this.requireFromNode(resolution.request, unit, module);
    }
  }

  private requireJson(file: string, parent: NodeModule): unknown {
    const known = this.modules[file];
    if (known !== undefined) return known.exports;
    const module = new Module(file, parent);
    module.filename = file;
    module.exports = parseJson(
      file,
      this.loader.outside(() => readFileSync(file, 'utf8')),
    );
    module.loaded = true;
    this.modules[file] = module;
    return module.exports;
  }

  /** A package or a builtin. */
  private requireFromNode(request: string, unit: Unit, parent: NodeModule): unknown {
    if (request === 'module' || request === 'node:module') return this.moduleBuiltin();
    const { plainFiles } = this.loader;
    if (plainFiles !== undefined && !isBuiltin(request)) {
      const file = this.loader.outside(() => unit.nodeRequire.resolve(request));
      const known = this.modules[file];
      if (known !== undefined) return known.exports;
      if (file.endsWith('.json')) return this.requireJson(file, parent);
      const plain = plainFiles.unit(file);
      if (plain !== undefined) return this.runCommonJs(plain, parent);
    }
    return this.loader.outside(() => unit.nodeRequire(request));
  }

  /** `node:module` with a `createRequire` that leads to this registry for files of the overlay. */
  private moduleBuiltin(): typeof Module {
    const createRequire = (from: string | URL): NodeJS.Require => {
      const text = String(from);
      const file = text.startsWith('file:') ? fileURLToPath(text) : text;
      if (!this.loader.overlay.has(file)) return Module.createRequire(from);
      const unit = this.loader.unit(file);
      return this.requireFunction(unit, this.newModule(unit, undefined));
    };
    return new Proxy(Module, {
      get: (target, key): unknown =>
        key === 'createRequire' ? createRequire : Reflect.get(target, key),
    });
  }

  // --- ES modules

  private requireEsModule(file: string): unknown {
    const record = this.linked(file);
    const { state } = record;
    if (state.error !== undefined) throw state.error.reason;
    if (state.status === 'linked') {
      const waiting = reachable(record).find((one) => one.hasTopLevelAwait);
      if (waiting !== undefined) throw asyncModuleError(file, waiting as EsModule);
      try {
        if (evaluate(record) !== undefined) throw asyncModuleError(file);
      } catch (error) {
        if (!(error instanceof AwaitsAfterAll)) throw error;
        this.unlink(record);
        throw asyncModuleError(file);
      }
    } else if (state.asyncOrder !== undefined) {
      throw asyncModuleError(file, record);
    }
    return record.module.exports;
  }

  private async importEsModule(file: string): Promise<unknown> {
    const record = this.linked(file);
    try {
      await evaluate(record);
    } catch (error) {
      if (!(error instanceof AwaitsAfterAll)) throw error;
      this.unlink(record);
      return this.importEsModule(file);
    }
    return record.module.exports;
  }

  /** A file's record with the records of all that it imports. */
  private linked(file: string): EsModule {
    const known = this.esModules.get(file);
    if (known !== undefined) return known;
    const record = this.link(file);
    settleSynchronous(record);
    return record;
  }

  private link(file: string): EsModule {
    const known = this.esModules.get(file);
    if (known !== undefined) return known;
    const unit = this.loader.unit(file);
    const record: EsModule = {
      unit,
      module: this.esModuleObjects.get(file) ?? this.newModule(unit, undefined),
      imported: new Map(),
      hasTopLevelAwait: unit.compiled.topLevelAwait,
      synchronous: false,
      dependencies: [],
      run: () => this.runEsModule(record),
      state: newState(),
    };
    record.module.require = this.importedBy(record);
    this.esModuleObjects.set(file, record.module);
    this.esModules.set(file, record);
    try {
      record.dependencies = unit.compiled.imports
        .filter((specifier) => !isOwnRequest(specifier))
        .map((specifier) => this.dependency(specifier, record));
    } catch (error) {
      this.esModules.delete(file);
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
      if (isEsModuleRecord(record)) this.esModules.delete(record.unit.file);
    }
  }

  private dependency(specifier: string, importer: EsModule): EsRecord {
    const { unit, module } = importer;
    const resolution = unit.resolve(specifier, 'import');
    if (resolution.kind === 'overlay' && this.isEsModule(resolution.file)) {
      return this.link(resolution.file);
    }
    if (resolution.kind === 'node' && isMissingFile(resolution.request, unit)) {
      throw notFoundError(resolution.request, unit);
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
    return Object.assign(request, record.module.require as NodeJS.Require);
  }

  private importStatically(specifier: string, { unit, module }: EsModule): unknown {
    const resolution = unit.resolve(specifier, 'import');
    if (resolution.kind === 'overlay' && this.isEsModule(resolution.file)) {
      const dependency = this.linked(resolution.file);
      // Only a body that runs ahead of its imports comes here before they are evaluated.
      if (dependency.state.status === 'linked') void evaluate(dependency);
      if (dependency.state.error !== undefined) throw dependency.state.error.reason;
      return dependency.module.exports;
    }
    const found = this.importForeign(specifier, unit, module);
    if (!(found instanceof AsyncNamespace)) return found;
    unit.asyncImports.add(specifier);
    throw new AwaitsAfterAll();
  }

  /** What an ES module sees of a module that is none of the overlay's ES modules. */
  private importForeign(specifier: string, unit: Unit, parent: NodeModule): unknown {
    const resolution = unit.resolve(specifier, 'import');
    switch (resolution.kind) {
      case 'overlay':
        return this.namespaceOf(this.importCommonJs(resolution.file, parent));
      case 'json':
        return this.namespaceOf(this.requireJson(resolution.file, parent));
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
      return this.requireFile(file, parent);
    } catch (reason) {
      this.failedImports.set(file, { reason });
      throw reason;
    }
  }

  private importFromNode(request: string, unit: Unit, parent: NodeModule): unknown {
    try {
      return this.namespaceOf(this.requireFromNode(request, unit, parent));
    } catch (error) {
      const { code } = Object(error) as NodeJS.ErrnoException;
      if (code === 'MODULE_NOT_FOUND' && !isFound(request, unit))
        throw notFoundError(request, unit);
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

  // --- import()

  private importer(unit: Unit, module: NodeModule): (specifier: unknown) => Promise<unknown> {
    return async (specifier) => {
      const text = String(specifier);
      await undefined;
      const { dynamicImport } = unit.compiled;
      if (dynamicImport !== 'import') {
        const exports = this.request(text, unit, module);
        return dynamicImport === 'require' ? exports : importStar(exports);
      }
      const kind: RequestKind = 'import';
      const resolution = unit.resolve(text, kind);
      if (resolution.kind === 'overlay') return this.importNow(resolution.file);
      const found = this.importForeign(text, unit, module);
      return found instanceof AsyncNamespace ? found.namespace : found;
    };
  }
}

/** A package's ES module with top-level await: only Node's own `import()` can load it. */
class AsyncNamespace {
  readonly namespace: Promise<Namespace>;

  constructor(real: Promise<Namespace>) {
    this.namespace = real.then(namespaceOfEsModule);
  }
}

/** `require.cache`: this registry's modules over Node's own. */
function cacheOf(modules: Record<string, NodeModule | undefined>): NodeJS.Dict<NodeModule> {
  const { _cache: nodes } = Module as unknown as { _cache: Record<string, NodeModule | undefined> };
  return new Proxy(modules, {
    get: (own, key: string) => own[key] ?? nodes[key],
    has: (own, key) => key in own || key in nodes,
    set: (own, key: string, module: NodeModule) => {
      own[key] = module;
      return true;
    },
    deleteProperty: (own, key: string) => delete own[key] && delete nodes[key],
    ownKeys: (own) => [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(nodes)])],
    getOwnPropertyDescriptor: (own, key: string) => {
      const value = own[key] ?? nodes[key];
      return value && { value, writable: true, enumerable: true, configurable: true };
    },
  });
}

function isEsModuleRecord(record: EsRecord): record is EsModule {
  return 'unit' in record;
}

function asyncModuleError(request: string, cause?: EsModule): Error {
  const compiled = cause?.unit.compiled;
  const where =
    compiled === undefined ? '' : ` (${compiled.path}${topLevelAwaitPosition(compiled.code)})`;
  return Object.assign(
    new Error(
      `require() of ${request}: this is an ES module that awaits at its top level${where}; ` +
        'load it with import() instead',
    ),
    { code: 'ERR_REQUIRE_ASYNC_MODULE' },
  );
}

/** Whether a request is a path of which the overlay has found that there is nothing. */
function isMissingFile(request: string, unit: Unit): boolean {
  return /^\.{0,2}\//.test(request) && !existsSync(path.resolve(unit.folder, request));
}

function isFound(request: string, unit: Unit): boolean {
  try {
    unit.nodeRequire.resolve(request);
    return true;
  } catch {
    return false;
  }
}

/** The error that Node gives to an import; test runners look at its code. */
function notFoundError(request: string, unit: Unit): Error {
  const what = /^\.{0,2}\//.test(request)
    ? `module '${path.resolve(unit.folder, request)}'`
    : `package '${request}'`;
  return Object.assign(new Error(`Cannot find ${what} imported from ${unit.file}`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    (error as Error).message = `${file}: ${(error as Error).message}`;
    throw error;
  }
}
