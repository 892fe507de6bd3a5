/**
 * TypeScript refuses some JavaScript that engines run, such as octal numbers in sloppy code. For
 * JavaScript the engine's word counts.
 */

import vm from 'node:vm';

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', '$import'];

/** Whether the engine accepts emitted code. */
export function isAccepted(code: string, topLevelAwait: boolean): boolean {
  try {
    vm.compileFunction(topLevelAwait ? `return async () => {${code}\n}` : code, PARAMETERS);
    return true;
  } catch {
    return false;
  }
}
