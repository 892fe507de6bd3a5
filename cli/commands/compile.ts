/**
 * `detsim compile`: brings the overlay up to date, and checks types.
 */

import path from 'node:path';
import { compile } from '../compile.js';
import { loadConfig } from '../config.js';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { count } from '../report/words.js';
import { findSpecs } from '../specs.js';

export interface CompileFlags {
  /** List every file with the file of the overlay that stands for it. */
  readonly printOverlay?: boolean;
  readonly check: boolean;
}

/** @returns the exit status */
export async function compileCommand(flags: CompileFlags): Promise<number> {
  const cwd = process.cwd();
  const root = findRoot(cwd);
  const { config } = loadConfig(root);
  const tests = findSpecs({ root, cwd, patterns: [], config });
  const pretty = process.stderr.isTTY;
  const result = compile({ root, config, tests, check: flags.check, pretty });
  if (flags.printOverlay === true) {
    for (const file of result.files) {
      console.log(`${file.path} → ${path.relative(cwd, file.codeFile)}`);
    }
  }
  const answer = await result.check?.result;
  const problems = [
    ...result.errors.map((error) => error.message),
    ...(answer === undefined || answer.errors === 0 ? [] : [answer.text]),
  ];
  if (problems.length > 0) throw new UserError(problems.join('\n'));
  if (flags.printOverlay !== true) {
    const folder = path.relative(cwd, result.overlay.project.overlayFolder);
    console.log(
      `${count(result.files.length, 'file')} in ${folder}, ${result.compiled} compiled now`,
    );
  }
  return 0;
}
