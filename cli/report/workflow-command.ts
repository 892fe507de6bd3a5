/**
 * Workflow commands of GitHub Actions: lines of output that become annotations of a file. Their
 * paths are those of the repository, so the workspace decides where it is known.
 */

import path from 'node:path';

export type Level = 'error' | 'warning' | 'notice';

/** One command on one line. */
export function workflowCommand(
  level: Level,
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const list = Object.entries(properties)
    .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
    .join(',');
  return `::${level} ${list}::${escapeMessage(message)}\n`;
}

/**
 * The path of a file in the repository.
 * @param file absolute
 * @param otherwise where it is not in the workspace, or there is none
 */
export function pathInRepository(file: string, otherwise: string): string {
  const { GITHUB_WORKSPACE: workspace } = process.env;
  const inside = workspace === undefined ? undefined : path.relative(workspace, file);
  if (inside === undefined || inside.startsWith('..')) return otherwise;
  return inside.split(path.sep).join('/');
}

function escapeMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
