/**
 * What is checked: the files of the project's tsconfig files, each under the options of the first
 * that holds it; the test files that none holds; and what the command line names beyond that.
 */

import path from 'node:path';
import picomatch from 'picomatch';
import ts from 'typescript';
import type { Config } from '../config.js';
import { UserError } from '../errors.js';
import { isFolder, readdirSync, realPath, relativePosix } from '../overlay/disk.js';
import { isDeclarationFile, isSourceFile } from '../overlay/format.js';
import { Project } from '../overlay/project.js';
import { findSpecs } from '../specs.js';

/** The files of one program, and those among them that it is there to check. */
export interface Target {
  readonly options: ts.CompilerOptions;
  readonly rootNames: readonly string[];
  /** Whether a file of the program is checked here. */
  readonly isWanted: (file: string) => boolean;
}

export interface TargetQuery {
  readonly root: string;
  readonly cwd: string;
  /** Files, folders and globs of the command line; empty for the whole project. */
  readonly patterns: readonly string[];
  readonly config: Config;
}

/** @throws UserError when a pattern matches nothing, or a tsconfig is not valid */
export function findTargets(query: TargetQuery): Target[] {
  const { root } = query;
  const project = new Project(root, query.config);
  const named = namedFiles(query);
  const owners = new Map<string, ts.CompilerOptions>();
  const targets: Target[] = [];
  for (const tsconfig of project.tsconfigs) {
    const options = checkOptions(tsconfig.options);
    for (const file of tsconfig.files) if (!owners.has(file)) owners.set(file, options);
    const isWanted = (file: string): boolean =>
      (owners.get(file) ?? options) === options &&
      project.isOwn(file) &&
      (named === undefined || named.has(file));
    targets.push({ options, rootNames: tsconfig.files, isWanted });
  }
  const rest = [...(named ?? unlistedFiles(query, project))].filter((file) => !owners.has(file));
  if (rest.length > 0) {
    const files = new Set(rest);
    const base = project.tsconfigs[0]?.options ?? WITHOUT_TSCONFIG;
    const options = checkOptions({ ...base, allowJs: true });
    targets.push({ options, rootNames: rest, isWanted: (file) => files.has(file) });
  }
  return targets;
}

const WITHOUT_TSCONFIG: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  esModuleInterop: true,
  strict: true,
};

/** Nothing is emitted and no types are reported: what only concerns those is left out. */
function checkOptions(options: ts.CompilerOptions): ts.CompilerOptions {
  return {
    ...options,
    noEmit: true,
    composite: false,
    incremental: false,
    tsBuildInfoFile: undefined,
    skipLibCheck: true,
    // What TypeScript before version 6 does by itself: the types of Node tell what a name is.
    types: options.types ?? ['*'],
  };
}

/** Files that no tsconfig holds: test files; without any tsconfig all sources. */
function unlistedFiles({ root, cwd, config }: TargetQuery, project: Project): string[] {
  if (project.tsconfigs.length === 0) return sourcesBelow(root);
  try {
    return findSpecs({ root, cwd, patterns: [], config });
  } catch (error) {
    // A project need not have tests, nor mocha, to be checked.
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** Folders that hold what is built or installed. */
const NOT_SOURCES = new Set(['node_modules', 'dist', 'build', 'out', 'coverage']);

function sourcesBelow(folder: string, all = false): string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    for (const entry of readdirSync(one, { withFileTypes: true })) {
      const file = path.join(one, entry.name);
      if (entry.isDirectory()) {
        const skipped =
          entry.name.startsWith('.') ||
          entry.name === 'node_modules' ||
          (!all && NOT_SOURCES.has(entry.name));
        if (!skipped) waiting.push(file);
      } else if (isSourceFile(entry.name) && !/\.min\.\w+$/.test(entry.name)) found.push(file);
    }
  }
  return found.sort();
}

/** The files that the command line names; undefined when it names none. */
function namedFiles({ root, cwd, patterns }: TargetQuery): Set<string> | undefined {
  if (patterns.length === 0) return undefined;
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = filesFor(path.resolve(cwd, pattern), root);
    if (files.length === 0) {
      throw new UserError(
        `No source file matches "${pattern}" in ${cwd}. Name a file, a folder, or a glob in quotes ` +
          'such as "src/**/*.ts".',
      );
    }
    for (const file of files) found.add(file);
  }
  return found;
}

function filesFor(pattern: string, root: string): string[] {
  if (ts.sys.fileExists(pattern)) {
    return isSourceFile(pattern) && !isDeclarationFile(pattern) ? [realPath(pattern)] : [];
  }
  if (isFolder(pattern)) return sourcesBelow(realPath(pattern), true);
  const matches = picomatch(relativePosix(root, pattern));
  return sourcesBelow(root, true).filter((file) => matches(relativePosix(root, file)));
}
