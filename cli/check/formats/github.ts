/**
 * `--format=github`: workflow commands, which GitHub shows as annotations of the changed lines. Its
 * paths are those of the repository, so the workspace decides where it is known.
 */

import path from 'node:path';
import type { CheckReport } from '../diagnostic.js';

export function formatGithub({ diagnostics }: CheckReport): string {
  const { GITHUB_WORKSPACE: workspace } = process.env;
  return diagnostics
    .map((one) => {
      const inside = workspace === undefined ? undefined : path.relative(workspace, one.path);
      const file =
        inside === undefined || inside.startsWith('..')
          ? one.file
          : inside.split(path.sep).join('/');
      const properties = {
        file,
        line: one.line,
        endLine: one.endLine,
        col: one.column,
        endColumn: one.endColumn,
        title: `${one.rule.code} ${one.rule.name}`,
      };
      const list = Object.entries(properties)
        .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
        .join(',');
      return `::${one.rule.severity} ${list}::${escapeMessage(one.message)}\n`;
    })
    .join('');
}

function escapeMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
