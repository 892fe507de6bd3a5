/**
 * The modules of one trial.
 *
 * A registry is what `require.cache` and the table of ES modules are in Node: it decides what has been
 * evaluated and hands out the same exports again. It follows Node's loader for CommonJS, cycles and
 * failures included, and the ECMAScript specification for files that are ES modules.
 */

import Module, { isBuiltin } from 'node:module';
import fs from 'node:fs';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { evaluate, newState, type EsRecord } from './es-graph.js';
import {
  importStar,
  isEsNamespace,
  namespaceOfCommonJs,
  namespaceOfEsModule,
  type Namespace,
} from './interop.js';
import type { Loader } from './loader.js';
import { isOwnRequest, requireOwn } from './own-copy.js';
import type { RequestKind } from './types.js';
import type { Unit } from './unit.js';

const { readFileSync } = fs;

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
    if (!this.isEsModule(file)) return this.namespaceOf(this.requireFile(file, undefined));
    const record = this.esModule(file);
    await evaluate(record);
    return record.module.exports;
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
    const record = this.esModule(file);
    const { status } = record.state;
    if (status === 'evaluating') return record.module.exports;
    const waiting = findTopLevelAwait(record, new Set());
    if (waiting !== undefined && status !== 'evaluated') throw asyncModuleError(file, waiting);
    const pending = evaluate(record);
    if (pending !== undefined) {
      pending.catch(() => {});
      throw asyncModuleError(file, undefined);
    }
    return record.module.exports;
  }

  /** The record of a file, linked: with the records of all that it imports. */
  private esModule(file: string): EsModule {
    const known = this.esModules.get(file);
    if (known !== undefined) return known;
    const unit = this.loader.unit(file);
    const module = this.newModule(unit, undefined);
    const record: EsModule = {
      unit,
      module,
      imported: new Map(),
      hasTopLevelAwait: unit.compiled.topLevelAwait,
      dependencies: [],
      run: () => this.runEsModule(record),
      state: newState(),
    };
    module.require = this.importedBy(record);
    this.esModules.set(file, record);
    record.dependencies = unit.compiled.imports
      .filter((specifier) => !isOwnRequest(specifier))
      .map((specifier) => this.dependency(specifier, record));
    return record;
  }

  private dependency(specifier: string, importer: EsModule): EsRecord {
    const resolution = importer.unit.resolve(specifier, 'import');
    if (resolution.kind === 'overlay' && this.isEsModule(resolution.file)) {
      return this.esModule(resolution.file);
    }
    const run = (): Promise<unknown> | undefined => {
      const found = this.importForeign(specifier, importer.unit, importer.module);
      if (!(found instanceof AsyncNamespace)) {
        importer.imported.set(specifier, found);
        return undefined;
      }
      return found.namespace.then((namespace) => importer.imported.set(specifier, namespace));
    };
    return { hasTopLevelAwait: false, dependencies: [], run, state: newState() };
  }

  private runEsModule(record: EsModule): Promise<unknown> | undefined {
    const { unit, module } = record;
    const { function: run, file, folder } = unit;
    const importer = this.importer(unit, module);
    const result = run.call(undefined, module.exports, module.require, module, file, folder, importer);
    module.loaded = true;
    return unit.compiled.topLevelAwait ? (result as Promise<unknown>) : undefined;
  }

  /** The `require` that emitted code calls for its static imports. */
  private importedBy(record: EsModule): NodeJS.Require {
    const request = (specifier: string): unknown => {
      if (isOwnRequest(specifier)) return requireOwn(specifier);
      const resolution = record.unit.resolve(specifier, 'import');
      if (resolution.kind === 'overlay' && this.isEsModule(resolution.file)) {
        return this.requireEsModule(resolution.file);
      }
      const known = record.imported.get(specifier);
      if (known !== undefined) return known;
      const found = this.importForeign(specifier, record.unit, record.module);
      if (found instanceof AsyncNamespace) throw asyncModuleError(specifier, undefined);
      record.imported.set(specifier, found);
      return found;
    };
    return Object.assign(request, record.module.require as NodeJS.Require);
  }

  /** What an ES module sees of a module that is none of the overlay's ES modules. */
  private importForeign(specifier: string, unit: Unit, parent: NodeModule): unknown {
    const resolution = unit.resolve(specifier, 'import');
    switch (resolution.kind) {
      case 'overlay':
        return this.namespaceOf(this.requireFile(resolution.file, parent));
      case 'json':
        return this.namespaceOf(this.requireJson(resolution.file, parent));
      case 'types':
        return {};
      case 'node':
        return this.importFromNode(resolution.request, unit, parent);
    }
  }

  private importFromNode(request: string, unit: Unit, parent: NodeModule): unknown {
    try {
      return this.namespaceOf(this.requireFromNode(request, unit, parent));
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
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
      if (unit.compiled.importByRequire) return importStar(this.request(text, unit, module));
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

/** The first module with top-level await among a module and all that it imports. */
function findTopLevelAwait(record: EsRecord, seen: Set<EsRecord>): EsModule | undefined {
  if (seen.has(record) || record.state.status === 'evaluated') return undefined;
  seen.add(record);
  for (const dependency of record.dependencies) {
    const found = findTopLevelAwait(dependency, seen);
    if (found !== undefined) return found;
  }
  return record.hasTopLevelAwait ? (record as EsModule) : undefined;
}

function asyncModuleError(request: string, cause: EsModule | undefined): Error {
  const where = cause === undefined ? '' : ` (in ${cause.unit.compiled.path})`;
  return Object.assign(
    new Error(
      `require() of ${request}: it is an ES module that awaits at its top level${where}; ` +
        'load it with import() instead',
    ),
    { code: 'ERR_REQUIRE_ASYNC_MODULE' },
  );
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    (error as Error).message = `${file}: ${(error as Error).message}`;
    throw error;
  }
}
