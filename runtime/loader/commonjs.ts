/**
 * The CommonJS modules of one registry.
 *
 * While its registry is the active one they stand in Node's own cache, so that `require.cache` and
 * every tool that looks there see them; when the next registry takes over they are taken out again.
 */

import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { Loader } from './loader.js';
import { nodeModules, pathOfTools } from './node-loader.js';
import { isOwnRequest, requireOwn } from './own-copy.js';
import type { ModuleRegistry } from './registry.js';
import { TrialModule } from './trial-module.js';
import type { Resolution } from './types.js';
import type { Unit } from './unit.js';

const { readFileSync } = fs;

export class CommonJsModules {
  private cache: NodeJS.Dict<NodeModule>;
  private keysBefore = 0;
  private readonly files = new Set<string>();
  /** Modules of packages that are evaluated for this registry only. */
  private readonly plain = new Map<string, NodeModule>();
  /** The modules of this registry, with their code. */
  private readonly units = new Map<NodeModule, Unit>();

  constructor(
    private readonly loader: Loader,
    private readonly registry: ModuleRegistry,
    present: boolean,
  ) {
    this.cache = present ? nodeModules._cache : (Object.create(null) as NodeJS.Dict<NodeModule>);
  }

  /** The modules stand in Node's cache from now on. */
  begin(): void {
    this.keysBefore = Object.keys(this.cache).length;
  }

  /** Takes the modules out of Node's cache. Code that still runs goes on to see them. */
  retire(): void {
    const own = Object.create(null) as NodeJS.Dict<NodeModule>;
    for (const file of this.files) {
      own[file] = this.cache[file];
      delete this.cache[file];
    }
    const keys = Object.keys(this.cache);
    // More than a new package may be there: a test may have put a file of the project into the
    // cache.
    if (keys.length !== this.keysBefore) forgetOverlayFiles(this.loader, keys);
    this.cache = own;
  }

  /** Evaluates a file of the overlay, unless that has been done. */
  requireFile(file: string, parent: NodeModule | undefined): unknown {
    const known = this.cache[file];
    if (known !== undefined) {
      if (parent !== undefined && !parent.children.includes(known)) parent.children.push(known);
      return known.exports;
    }
    const unit = this.loader.unit(file);
    if (unit.compiled.format === 'module') return this.registry.requireEsModule(file);
    const module = this.newModule(unit, parent);
    this.remember(file, module);
    let failed = true;
    try {
      const tool = pathOfTools.handlerFor(file);
      if (tool === undefined) this.evaluate(unit, module);
      else tool(module, file);
      failed = false;
    } finally {
      if (failed) delete this.cache[file];
    }
    module.loaded = true;
    return module.exports;
  }

  /** A fresh value of a JSON file, the same within the registry. */
  requireJson(file: string, parent: NodeModule | undefined): unknown {
    const known = this.cache[file];
    if (known !== undefined) return known.exports;
    const module = newModule(file, path.dirname(file), [], parent);
    const text = this.loader.outside(() => readFileSync(file, 'utf8'));
    module.exports = parseJson(file, text);
    module.loaded = true;
    this.remember(file, module);
    return module.exports;
  }

  /** `require(specifier)` in a module, as far as a tool has not taken it over. */
  request(specifier: string, module: NodeModule): unknown {
    const unit = this.units.get(module)!;
    // Node checks the argument, and says what is wrong with it.
    if (typeof specifier !== 'string' || specifier === '') return unit.nodeRequire(specifier);
    return this.follow(unit.resolve(specifier, 'require'), unit, module);
  }

  /** What a resolved `require` gives. */
  follow(resolution: Resolution, unit: Unit, module: NodeModule): unknown {
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

  /** Whether the module is one of this registry's. */
  owns(module: NodeModule): boolean {
    return this.units.has(module);
  }

  newModule(unit: Unit, parent: NodeModule | undefined): NodeModule {
    const module = newModule(unit.file, unit.folder, unit.searchPaths, parent);
    this.adopt(unit, module);
    return module;
  }

  /** Evaluates a file of the overlay into a module that Node, or a tool, has made. */
  evaluateInto(module: NodeModule, file: string): void {
    const unit = this.loader.unit(file);
    if (unit.compiled.format === 'module') module.exports = this.registry.requireEsModule(file);
    else this.evaluate(unit, module);
  }

  /** Runs a file's code as the body of a module, one of ours or one that a tool has made. */
  private evaluate(unit: Unit, module: NodeModule): void {
    if (!this.units.has(module)) this.adopt(unit, module);
    const { function: run, file, folder } = unit;
    const { exports } = module;
    const importer = this.registry.importer(unit, module);
    run.call(exports, exports, requireFunction(unit, module), module, file, folder, importer);
  }

  private adopt(unit: Unit, module: NodeModule): void {
    this.units.set(module, unit);
    // Tools replace this property to answer the requires of one module.
    module.require = ((specifier: string) =>
      nodeModules._load === pathOfTools.load
        ? this.request(specifier, module)
        : nodeModules._load(specifier, module, false)) as NodeJS.Require;
  }

  private remember(file: string, module: NodeModule): void {
    this.files.add(file);
    this.cache[file] = module;
  }

  /** A package or a builtin. */
  private requireFromNode(request: string, unit: Unit, parent: NodeModule): unknown {
    if (isBuiltin(request)) return builtin(request, unit);
    const { overlay, plainFiles, outside } = this.loader;
    if (plainFiles !== undefined) {
      const file = outside(() => unit.nodeRequire.resolve(request));
      const known = this.plain.get(file);
      if (known !== undefined) return known.exports;
      if (overlay.has(file)) return this.requireFile(file, parent);
      if (file.endsWith('.json')) return this.requireJson(file, parent);
      const plain = plainFiles.unit(file);
      if (plain !== undefined) return this.runPlain(plain, parent);
    }
    return outside(() => unit.nodeRequire(request) as unknown);
  }

  private runPlain(unit: Unit, parent: NodeModule): unknown {
    const module = this.newModule(unit, parent);
    this.plain.set(unit.file, module);
    let failed = true;
    try {
      this.evaluate(unit, module);
      failed = false;
    } finally {
      if (failed) this.plain.delete(unit.file);
    }
    module.loaded = true;
    return module.exports;
  }
}

/** Takes files of the overlay out of Node's cache. @param files the keys to look at */
export function forgetOverlayFiles({ overlay }: Loader, files: readonly string[]): void {
  for (const file of files) if (overlay.has(file)) delete nodeModules._cache[file];
}

const builtins = new Map<string, unknown>();

/** A builtin is one object for ever; asking Node again would be most of the time of a require. */
function builtin(request: string, unit: Unit): unknown {
  if (!builtins.has(request)) builtins.set(request, unit.nodeRequire(request));
  return builtins.get(request);
}

function newModule(...values: ConstructorParameters<typeof TrialModule>): NodeModule {
  return new TrialModule(...values) as unknown as NodeModule;
}

/** The `require` that a module's code sees. */
function requireFunction(unit: Unit, module: NodeModule): NodeJS.Require {
  const { nodeRequire } = unit;
  const require = ((specifier: string): unknown =>
    isOwnRequest(specifier) ? requireOwn(specifier) : module.require(specifier)) as NodeJS.Require;
  require.resolve = nodeRequire.resolve;
  require.cache = nodeRequire.cache;
  require.main = nodeRequire.main;
  // Deprecated, and still what some test tools look at.
  require.extensions = nodeRequire.extensions;
  return require;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    (error as Error).message = `${file}: ${(error as Error).message}`;
    throw error;
  }
}
