/**
 * `detsim compile`: brings the overlay up to date ahead of a run, and checks types beside it.
 *
 * It walks from the tsconfig's files, the test files and the instrumented packages along everything
 * that the code names. The overlay would compile the same files on demand; this does it once for
 * all workers, and finds what cannot be compiled before anything runs.
 */

import path from 'node:path';
import type { Resolution } from '../runtime/loader/types.js';
import type { Config } from './config.js';
import { UserError } from './errors.js';
import { TypeCheck, type CheckRun } from './overlay/check.js';
import { isFile, writeAtomically } from './overlay/disk.js';
import { Overlay, type OverlayFile } from './overlay/overlay.js';
import { Project } from './overlay/project.js';

export interface CompileOptions {
  /** The project's root, absolute. */
  readonly root: string;
  readonly config: Config;
  /** The test files, absolute. */
  readonly tests: readonly string[];
  /** Whether to check types. */
  readonly check: boolean;
  /** Whether diagnostics are meant for a terminal. */
  readonly pretty: boolean;
}

export interface CompileResult {
  readonly overlay: Overlay;
  /** Every file the walk has reached, sorted by path. */
  readonly files: readonly OverlayFile[];
  /** How many of them were compiled now. */
  readonly compiled: number;
  /** Files of the project that cannot be compiled, each with position and reason. */
  readonly errors: readonly UserError[];
  /** The type check, which goes on beside; undefined when there is none. */
  readonly check: CheckRun | undefined;
}

/**
 * Compiles what has changed.
 * @throws UserError when a tsconfig is missing or not valid
 */
export function compile(options: CompileOptions): CompileResult {
  const project = new Project(options.root, options.config);
  const check =
    options.check && project.tsconfigs.length > 0
      ? new TypeCheck(project, options.pretty)
      : undefined;
  const overlay = new Overlay(project, {
    tests: options.tests,
    // The sooner the check starts the better: it takes longer than everything else.
    beforeFirstCompile: () => check?.start(),
  });
  const { files, errors } = walk(overlay, rootFiles(overlay, options.tests));
  writeManifest(overlay, files);
  const checkRun = check?.run(files.map((one) => one.codeFile));
  return { overlay, files, compiled: overlay.compiledCount, errors, check: checkRun };
}

function rootFiles({ project }: Overlay, tests: readonly string[]): string[] {
  return [...tests, ...project.tsconfigs.flatMap((one) => one.files)];
}

/**
 * Follows every specifier that stands in the code, from the roots and the instrumented packages.
 */
function walk(
  overlay: Overlay,
  roots: readonly string[],
): { files: OverlayFile[]; errors: UserError[] } {
  const files: OverlayFile[] = [];
  const errors: UserError[] = [];
  const seen = new Set<string>();
  const waiting: string[] = [];
  const add = (file: string): void => {
    if (seen.has(file) || !overlay.has(file)) return;
    seen.add(file);
    waiting.push(file);
  };
  const follow = (resolution: Resolution): void => {
    if (resolution.kind === 'overlay') add(resolution.file);
  };
  roots.filter(isFile).forEach(add);
  for (const name of overlay.project.config.instrument ?? []) {
    const from = path.join(overlay.root, 'package.json');
    follow(overlay.resolve(name, from, 'require'));
    follow(overlay.resolve(name, from, 'import'));
  }
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const compiled = attempt(overlay, file, errors);
    if (compiled === undefined) continue;
    files.push(compiled);
    const kind = compiled.format === 'module' ? 'import' : 'require';
    for (const request of compiled.requests) follow(overlay.resolve(request, file, kind));
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), errors };
}

/** A package may hold files that nobody ever loads: what is wrong with them shows when one is. */
function attempt(overlay: Overlay, file: string, errors: UserError[]): OverlayFile | undefined {
  try {
    return overlay.get(file);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (overlay.project.isOwn(file)) errors.push(error);
    return undefined;
  }
}

/** For people and tools: which file of the overlay stands for which file of the project. */
function writeManifest(overlay: Overlay, files: readonly OverlayFile[]): void {
  const folder = overlay.project.overlayFolder;
  const entries = files.map((one) => [one.path, path.relative(folder, one.codeFile)]);
  const text = JSON.stringify({ version: 1, files: Object.fromEntries(entries) }, null, 1);
  writeAtomically(path.join(folder, 'manifest.json'), text + '\n');
}
