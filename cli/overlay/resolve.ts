/**
 * Where a specifier leads: to a file of the overlay, or out of it to Node.
 *
 * One set of rules serves static imports, `require` with a computed name and `import()` alike, at
 * run time and from plain data, so that nothing stored can be out of date and TypeScript is not
 * needed. They follow `ts.resolveModuleName` (path aliases, `baseUrl`, `#imports`, self-reference,
 * then packages) with one difference: where the compiler looks for types, these look for the source
 * that runs. An output file of a project leads to the source it was made from.
 */

import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exports as exportsOf, imports as importsOf } from 'resolve.exports';
import type { RequestKind, Resolution } from '../../runtime/loader/types.js';
import { isFile, isFolder, isInside, kindOf, realPath } from './disk.js';
import { isDeclarationFile } from './format.js';
import { splitBareSpecifier, type PackageScope } from './package-json.js';
import { pathOfEntry } from './entry-name.js';
import type { Project } from './project.js';
import type { TsconfigInfo } from './tsconfig.js';

/** A question: the specifier and everything that the answer may depend on. */
interface Request {
  readonly specifier: string;
  readonly folder: string;
  readonly kind: RequestKind;
  readonly tsconfig: TsconfigInfo | undefined;
}

export class Resolver {
  private readonly answers = new Map<string, Resolution>();

  constructor(private readonly project: Project) {}

  resolve(specifier: string, importer: string, kind: RequestKind): Resolution {
    const tsconfig = this.project.tsconfigOf(importer);
    const folder = path.dirname(importer);
    const key = `${kind} ${tsconfig?.path ?? ''}\0${folder}\0${specifier}`;
    let answer = this.answers.get(key);
    if (answer === undefined) {
      answer = this.answer({ specifier, folder, kind, tsconfig });
      this.answers.set(key, answer);
    }
    return answer;
  }

  private answer(request: Request): Resolution {
    const { specifier } = request;
    if (isBuiltin(specifier)) return { kind: 'node', request: specifier };
    const file = this.findFile(request);
    return file === undefined ? { kind: 'node', request: specifier } : this.classify(file);
  }

  /** The file a specifier means, or undefined to leave it to Node. */
  private findFile(request: Request): string | undefined {
    const { specifier, folder } = request;
    if (specifier.startsWith('file:')) return this.sourceFor(fileURLToPath(specifier), request);
    if (/^\.{0,2}(?:\/|$)/.test(specifier)) {
      const folderOnly = /(?:^|\/)\.{0,2}$/.test(specifier);
      return this.sourceFor(this.original(path.resolve(folder, specifier)), request, folderOnly);
    }
    return (
      this.byPaths(request) ??
      this.byBaseUrl(request) ??
      (specifier.startsWith('#') ? this.byImports(request) : this.byPackage(request))
    );
  }

  /** A tool that finds its caller by the stack asks for paths beside the compiled file. */
  private original(file: string): string {
    const compiled = path.join(this.project.overlayFolder, 'files');
    return isInside(compiled, file)
      ? path.join(this.project.root, pathOfEntry(path.relative(compiled, file)))
      : file;
  }

  private byPaths(request: Request): string | undefined {
    const options = request.tsconfig?.options;
    const match = options?.paths && matchPaths(options.paths, request.specifier);
    if (!match) return undefined;
    const base = options.baseUrl ?? (options['pathsBasePath'] as string);
    for (const target of match) {
      const file = this.sourceFor(path.resolve(base, target), request);
      if (file !== undefined && !isDeclarationFile(file)) return file;
    }
    return undefined;
  }

  private byBaseUrl(request: Request): string | undefined {
    const baseUrl = request.tsconfig?.options.baseUrl;
    return baseUrl && this.sourceFor(path.resolve(baseUrl, request.specifier), request);
  }

  private byImports(request: Request): string | undefined {
    const scope = this.project.scopes.nearest(request.folder);
    if (!scope?.json.imports) return undefined;
    const targets = attempt(() =>
      importsOf(scope.json, request.specifier, this.conditions(request)),
    );
    for (const target of targets) {
      const file = target.startsWith('./')
        ? this.sourceFor(path.join(scope.folder, target), request)
        : this.findFile({
            ...request,
            specifier: target,
            folder: scope.folder,
            tsconfig: undefined,
          });
      if (file !== undefined) return file;
    }
    return undefined;
  }

  private byPackage(request: Request): string | undefined {
    const { name, entry } = splitBareSpecifier(request.specifier);
    const self = this.project.scopes.nearest(request.folder);
    if (self?.json.name === name && self.json.exports) return this.entryOf(self, entry, request);
    for (let folder = request.folder; ; folder = path.dirname(folder)) {
      const candidate = path.join(folder, 'node_modules', name);
      if (path.basename(folder) !== 'node_modules' && isFolder(candidate)) {
        const real = realPath(candidate);
        const ours = this.project.isInstrumented(path.join(real, 'index.js'));
        if (!ours && request.kind === 'require') return undefined;
        const scope = this.project.scopes.in(real) ?? { folder: real, json: { name } };
        return this.entryOf(scope, entry, request);
      }
      if (path.dirname(folder) === folder) return undefined;
    }
  }

  /** An entry of a package, `.` or `./x`, as its `exports` or its `main` say. */
  private entryOf(scope: PackageScope, entry: string, request: Request): string | undefined {
    const { json, folder } = scope;
    if (json.exports) {
      const targets = attempt(() => exportsOf(json, entry, this.conditions(request)));
      return first(targets, (target) => this.sourceFor(path.join(folder, target), request));
    }
    if (entry !== '.') return this.sourceFor(path.join(folder, entry), request);
    return this.folderEntry(folder, request);
  }

  private conditions(request: Request): { unsafe: true; conditions: string[] } {
    const custom = request.tsconfig?.options.customConditions ?? [];
    const sync = 'require_module' in process.features ? ['module-sync'] : [];
    return { unsafe: true, conditions: ['node', request.kind, ...sync, ...custom] };
  }

  /** The source behind a path that may lack its extension, or name an output file or a folder. */
  private sourceFor(base: string, request: Request, folderOnly = false): string | undefined {
    for (const { options, sourceRoots } of this.project.tsconfigs) {
      for (const out of [options.outDir, options.declarationDir]) {
        if (out === undefined || !isInside(out, base)) continue;
        const relative = path.relative(out, base);
        const source = first(sourceRoots, (root) =>
          isInside(out, root) ? undefined : this.existing(path.join(root, relative), request),
        );
        if (source !== undefined) return source;
      }
    }
    return this.existing(base, request, folderOnly);
  }

  private existing(base: string, request: Request, folderOnly = false): string | undefined {
    const file = folderOnly ? undefined : first(this.candidates(base, request), onlyFile);
    return file ?? this.folderEntry(base, request);
  }

  /** What Node does with a folder: the `main` of its package.json, then its index. */
  private folderEntry(folder: string, request: Request): string | undefined {
    if (kindOf(folder) !== 'folder') return undefined;
    const main = this.project.scopes.in(folder)?.json.main;
    const file =
      typeof main === 'string' && path.join(folder, main) !== folder
        ? this.sourceFor(path.join(folder, main), request)
        : undefined;
    return file ?? first(this.candidates(path.join(folder, 'index'), request), onlyFile);
  }

  /** The files a path may mean, best first. */
  private candidates(base: string, request: Request): string[] {
    if (!this.project.isOwn(base)) {
      return [base, ...['.js', '.json', '.node'].map((extension) => base + extension)];
    }
    const names: string[] = [];
    const suffixes = request.tsconfig?.options.moduleSuffixes ?? [''];
    const add = (stem: string, extensions: readonly string[]): void => {
      for (const extension of extensions) {
        for (const suffix of suffixes) names.push(stem + suffix + extension);
      }
    };
    const written = /^(.*)(\.[mc]?jsx?)$/.exec(base);
    if (written !== null) add(written[1]!, typeScriptFor[written[2]!] ?? []);
    names.push(base);
    add(base, ['.ts', '.tsx', '.js', '.jsx', '.json', '.node']);
    add(written?.[1] ?? base, declarationFor[written?.[2] ?? '.js'] ?? []);
    return names;
  }

  private classify(found: string): Resolution {
    const file = realPath(found);
    if (isDeclarationFile(file)) return { kind: 'types' };
    if (this.project.isInstrumented(file)) return { kind: 'overlay', file };
    if (file.endsWith('.json') && this.project.isOwn(file)) return { kind: 'json', file };
    return { kind: 'node', request: file };
  }
}

/** Which TypeScript files a JavaScript name may stand for. */
const typeScriptFor: Record<string, readonly string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

const declarationFor: Record<string, readonly string[]> = {
  '.js': ['.d.ts'],
  '.jsx': ['.d.ts'],
  '.mjs': ['.d.mts'],
  '.cjs': ['.d.cts'],
};

/**
 * The targets of the pattern of `paths` that fits best: an exact one, else the one with the longest
 * prefix, as in TypeScript.
 */
function matchPaths(
  paths: Readonly<Record<string, readonly string[]>>,
  specifier: string,
): string[] | undefined {
  const exact = paths[specifier];
  if (exact !== undefined && !specifier.includes('*')) return [...exact];
  let best: { pattern: string; prefix: string; suffix: string } | undefined;
  for (const pattern of Object.keys(paths)) {
    const star = pattern.indexOf('*');
    if (star < 0) continue;
    const prefix = pattern.slice(0, star);
    const suffix = pattern.slice(star + 1);
    const fits =
      specifier.length >= prefix.length + suffix.length &&
      specifier.startsWith(prefix) &&
      specifier.endsWith(suffix);
    if (fits && prefix.length >= (best?.prefix.length ?? 0)) best = { pattern, prefix, suffix };
  }
  if (best === undefined) return undefined;
  const star = specifier.slice(best.prefix.length, specifier.length - best.suffix.length);
  return paths[best.pattern]!.map((target) => target.replace('*', () => star));
}

function onlyFile(file: string): string | undefined {
  return isFile(file) ? file : undefined;
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A package that exports no such entry is Node's to report. */
function attempt(targets: () => string[] | void): string[] {
  try {
    return targets() ?? [];
  } catch {
    return [];
  }
}
