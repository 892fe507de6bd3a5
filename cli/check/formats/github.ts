/**
 * `--format=github`: workflow commands, which GitHub shows as annotations of the changed lines.
 */

import { pathInRepository, workflowCommand } from '../../report/workflow-command.js';
import type { CheckReport } from '../diagnostic.js';

export function formatGithub({ diagnostics }: CheckReport): string {
  return diagnostics
    .map((one) => {
      const properties = {
        file: pathInRepository(one.path, one.file),
        line: one.line,
        endLine: one.endLine,
        col: one.column,
        endColumn: one.endColumn,
        title: `${one.rule.code} ${one.rule.name}`,
      };
      return workflowCommand(one.rule.severity, properties, one.message);
    })
    .join('');
}
