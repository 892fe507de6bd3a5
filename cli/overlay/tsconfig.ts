/**
 * Reads a project's tsconfig files: `extends`, references of references, include patterns.
 *
 * This module loads TypeScript; what it finds is plain data, kept in the overlay, so that an
 * unchanged project does not need it again.
 */

import path from 'node:path';
import ts from 'typescript';
import { UserError } from '../errors.js';
import { hashOf } from './disk.js';
import { isDeclarationFile } from './format.js';

/** One tsconfig, as plain data. */
export interface TsconfigInfo {
  readonly path: string;
  /** The merged compiler options as JSON: enums are numbers, paths absolute. */
  readonly options: ts.CompilerOptions;
  /** A hash of the options. */
  readonly optionsId: string;
  /** The files it includes, declarations as well, absolute. */
  readonly files: readonly string[];
  /** Folders that output files may have come from: `outDir/x.js` was `sourceRoots[i]/x.ts`. */
  readonly sourceRoots: readonly string[];
}

/** The tsconfig files of a project, and the files their content depends on. */
export interface ParsedTsconfigs {
  /** The root's own first, then every project it references, directly or not. */
  readonly tsconfigs: readonly TsconfigInfo[];
  readonly inputs: readonly string[];
}

/**
 * @param rootTsconfig absolute path
 * @param typescriptMajor the version the project is written for: its defaults hold, not ours
 * @throws UserError when one of the files is not valid
 */
export function parseTsconfigs(rootTsconfig: string, typescriptMajor: number): ParsedTsconfigs {
  const inputs = new Set<string>();
  const tsconfigs = new Map<string, TsconfigInfo>();
  const waiting = [rootTsconfig];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (tsconfigs.has(file)) continue;
    const parsed = parseOne(file, inputs, typescriptMajor);
    tsconfigs.set(file, describe(file, parsed, typescriptMajor));
    for (const reference of parsed.projectReferences ?? []) {
      waiting.push(ts.resolveProjectReferencePath(reference));
    }
  }
  return { tsconfigs: [...tsconfigs.values()], inputs: [...inputs] };
}

/** The format of diagnostics outside a terminal, with absolute paths made relative to `folder`. */
export function formatDiagnostics(diagnostics: readonly ts.Diagnostic[], folder: string): string {
  return ts
    .formatDiagnostics(diagnostics, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => folder,
      getNewLine: () => '\n',
    })
    .trimEnd();
}

/** TypeScript's "No inputs were found": a project may hold only files reached in other ways. */
const noInputsFound = 18003;

/** TypeScript's "Unknown compiler option": a later version may know it. */
const unknownOption = 5023;
const ownMajor = Number.parseInt(ts.version, 10);

function parseOne(file: string, inputs: Set<string>, major: number): ts.ParsedCommandLine {
  const problems: ts.Diagnostic[] = [];
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    readFile: (name) => {
      inputs.add(path.normalize(name));
      return ts.sys.readFile(name);
    },
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => problems.push(diagnostic),
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(file, {}, host);
  problems.push(...(parsed?.errors ?? []));
  const harmless = [noInputsFound, ...(major > ownMajor ? [unknownOption] : [])];
  const fatal = problems.filter(
    (one) => one.category === ts.DiagnosticCategory.Error && !harmless.includes(one.code),
  );
  if (parsed === undefined || fatal.length > 0) {
    throw new UserError(formatDiagnostics(fatal, path.dirname(file)));
  }
  return parsed;
}

function describe(file: string, parsed: ts.ParsedCommandLine, major: number): TsconfigInfo {
  const options = withDefaultsOf(major, plainOptions(parsed.options));
  const folder = path.dirname(file);
  const files = parsed.fileNames.map((name) => path.normalize(name));
  const sourceRoots =
    options.rootDir !== undefined
      ? [path.normalize(options.rootDir)]
      : [...new Set([commonFolder(files.filter((one) => !isDeclarationFile(one))), folder])];
  return {
    path: file,
    options,
    optionsId: hashOf(JSON.stringify(options)),
    files,
    sourceRoots: sourceRoots.filter((one) => one !== undefined),
  };
}

/** The options without what JSON cannot carry (the parsed tsconfig itself hangs on them). */
function plainOptions(options: ts.CompilerOptions): ts.CompilerOptions {
  const { configFile: _configFile, ...plain } = options;
  return JSON.parse(JSON.stringify(plain)) as ts.CompilerOptions;
}

/**
 * Makes the defaults of the compiler that the project uses explicit where ours have changed, as far
 * as they decide what is emitted (TypeScript 6 changed `target`, `module` and `esModuleInterop`).
 */
function withDefaultsOf(major: number, options: ts.CompilerOptions): ts.CompilerOptions {
  const implied: ts.CompilerOptions = {};
  if (major < 6) {
    const node = options.module !== undefined && isNodeModule(options.module);
    implied.target = node ? nodeTarget(options.module) : ts.ScriptTarget.ES5;
    const target = options.target ?? implied.target;
    implied.module =
      target >= ts.ScriptTarget.ES2015 ? ts.ModuleKind.ES2015 : ts.ModuleKind.CommonJS;
    implied.esModuleInterop = node || options.module === ts.ModuleKind.Preserve;
    implied.strict = false;
  } else {
    implied.target = ts.ScriptTarget.ES2025;
    implied.module = ts.ModuleKind.ESNext;
    implied.esModuleInterop = true;
    implied.strict = true;
  }
  const target = options.target ?? implied.target;
  implied.useDefineForClassFields = target >= ts.ScriptTarget.ES2022;
  return { ...implied, ...options };
}

function isNodeModule(module: ts.ModuleKind): boolean {
  return module >= ts.ModuleKind.Node16 && module <= ts.ModuleKind.NodeNext;
}

function nodeTarget(module: ts.ModuleKind | undefined): ts.ScriptTarget {
  return module === ts.ModuleKind.NodeNext ? ts.ScriptTarget.ESNext : ts.ScriptTarget.ES2022;
}

function commonFolder(files: readonly string[]): string | undefined {
  if (files.length === 0) return undefined;
  let common = path.dirname(files[0]!);
  for (const file of files) {
    while (!file.startsWith(common.endsWith(path.sep) ? common : common + path.sep)) {
      common = path.dirname(common);
    }
  }
  return common;
}
