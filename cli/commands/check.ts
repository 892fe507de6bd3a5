/**
 * `detsim check`: the rules over a whole project, for everyone whose editor does not show them.
 */

import path from 'node:path';
import { applyFixes } from '../check/fix.js';
import { compareWithBaseline, writeBaseline } from '../check/baseline.js';
import { countOf, type CheckReport } from '../check/diagnostic.js';
import { formatGithub } from '../check/formats/github.js';
import { formatJson } from '../check/formats/json.js';
import { formatPretty } from '../check/formats/pretty.js';
import { formatSarif } from '../check/formats/sarif.js';
import { runRules, type CheckRun } from '../check/run.js';
import { findTargets } from '../check/targets.js';
import { loadConfig } from '../config.js';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { colorsFor } from '../report/style.js';
import { count } from '../report/words.js';

export interface CheckFlags {
  readonly format: 'pretty' | 'json' | 'sarif' | 'github';
  readonly fix?: boolean;
  readonly maxWarnings?: number;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
}

/** A fix can make room for another one; this many rounds are enough for any real file. */
const ROUNDS_MAX = 10;

/**
 * @param version of detsim
 * @returns the exit status: 1 for an error, or for more warnings than are allowed
 */
export function checkCommand(
  patterns: readonly string[],
  flags: CheckFlags,
  version: string,
): number {
  const cwd = process.cwd();
  const root = findRoot(cwd);
  const { config } = loadConfig(root);
  const baseline = flags.baseline === undefined ? undefined : path.resolve(cwd, flags.baseline);
  if (flags.updateBaseline === true && baseline === undefined) {
    throw new UserError(
      '--update-baseline needs --baseline to say which file, for instance ' +
        '--baseline=detsim-baseline.json.',
    );
  }
  const run = (): CheckRun => runRules(root, findTargets({ root, cwd, patterns, config }));
  let found = run();
  let fixed = 0;
  for (let round = 0; flags.fix === true && round < ROUNDS_MAX; round++) {
    const applied = applyFixes(found.diagnostics);
    if (applied === 0) break;
    fixed += applied;
    found = run();
  }
  if (baseline !== undefined && flags.updateBaseline === true) {
    writeBaseline(baseline, found.diagnostics);
    const kept = count(found.diagnostics.length, 'diagnostic');
    process.stdout.write(`${kept} in ${path.relative(cwd, baseline)}\n`);
    return 0;
  }
  const compared =
    baseline === undefined
      ? { fresh: found.diagnostics, known: 0, gone: 0 }
      : compareWithBaseline(baseline, found.diagnostics);
  const report: CheckReport = {
    diagnostics: compared.fresh,
    files: found.files,
    fixed,
    known: compared.known,
    gone: compared.gone,
  };
  process.stdout.write(format(report, flags.format, version));
  const { maxWarnings = Infinity } = flags;
  const failed = countOf(report, 'error') > 0 || countOf(report, 'warning') > maxWarnings;
  return failed ? 1 : 0;
}

function format(report: CheckReport, name: CheckFlags['format'], version: string): string {
  switch (name) {
    case 'json':
      return formatJson(report);
    case 'sarif':
      return formatSarif(report, version);
    case 'github':
      return formatGithub(report);
    case 'pretty':
      return formatPretty(report, colorsFor(process.stdout));
  }
}
