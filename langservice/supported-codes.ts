/**
 * Editors ask once which codes have fixes, and ask for no others. Some ask for a project, which the
 * decorated service answers; others ask TypeScript as a whole.
 */

import type { TypeScript } from '../transformer/analyzer/index.js';
import { ruleNumbers } from './findings.js';

/** A part of TypeScript that is not in its public types. */
interface Internals {
  readonly codefix?: {
    registerCodeFix?(registration: {
      readonly errorCodes: readonly number[];
      readonly fixIds: readonly string[];
      getCodeActions(): undefined;
      getAllCodeActions(): undefined;
    }): void;
    getSupportedErrorCodes?(): readonly string[];
  };
}

/** Adds the codes of the rules to those that TypeScript names; a second time changes nothing. */
export function registerCodes(ts: TypeScript): void {
  const { codefix } = ts as TypeScript & Internals;
  const known = new Set(codefix?.getSupportedErrorCodes?.());
  const errorCodes = ruleNumbers().filter((code) => !known.has(String(code)));
  if (errorCodes.length === 0) return;
  // The fixes themselves come from the decorated service.
  const nothing = (): undefined => undefined;
  codefix?.registerCodeFix?.({
    errorCodes,
    fixIds: [],
    getCodeActions: nothing,
    getAllCodeActions: nothing,
  });
}
