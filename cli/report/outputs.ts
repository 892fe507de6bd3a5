/**
 * Writes the reports that `--reporter` asks for.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatGithub, writeJobSummary } from './github.js';
import { formatJson } from './json.js';
import { formatJunit } from './junit.js';
import type { SweepReport } from './model.js';
import { formatPretty, type PrettyOptions } from './pretty.js';
import type { Output, ReporterName } from './reporters.js';
import { noColors } from './style.js';

/** Writes all reports; the one for people where none was asked for. */
export function writeReports(
  report: SweepReport,
  outputs: readonly Output[] | undefined,
  options: PrettyOptions,
): void {
  for (const { reporter, file } of outputs ?? [{ reporter: 'pretty', file: undefined }]) {
    const colors = file === undefined ? options.colors : noColors;
    const text = FORMATS[reporter](report, { ...options, colors });
    if (reporter === 'github') writeJobSummary(report);
    if (file === undefined) process.stdout.write(text);
    else {
      mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

const FORMATS: Record<ReporterName, (report: SweepReport, options: PrettyOptions) => string> = {
  pretty: formatPretty,
  json: formatJson,
  junit: formatJunit,
  github: formatGithub,
};
