/**
 * What a file is for Node: a CommonJS or an ES module.
 *
 * The file name decides (`.mts`, `.cjs`), then the compiler's `module` option for TypeScript, then
 * the `type` of the nearest package.json. JavaScript without a `type` is decided by its own syntax,
 * as Node does; that needs a parser, so it is left open here until the file is compiled.
 */

import type { ModuleFormat } from '../../runtime/loader/types.js';

/** `detect`: a JavaScript file that its own syntax makes a CommonJS or an ES module. */
export type FormatRule = ModuleFormat | 'detect';

/** The values of `ts.ModuleKind` that matter here, so that TypeScript need not be loaded. */
const moduleKind = { commonJs: 1, system: 4, node16: 100, preserve: 200 } as const;

/** Whether the name is one of TypeScript's: `.ts`, `.tsx`, `.mts`, `.cts`. */
export function isTypeScriptFile(file: string): boolean {
  return /\.[mc]?tsx?$/.test(file);
}

/** Whether the name is that of a source file which can be compiled: no declarations, no JSON. */
export function isSourceFile(file: string): boolean {
  return /\.(?:[mc]?[jt]s|[jt]sx)$/.test(file) && !isDeclarationFile(file);
}

export function isDeclarationFile(file: string): boolean {
  return /\.d\.(?:[^./]+\.)?[mc]?ts$/.test(file);
}

/**
 * @param module the compiler option, a `ts.ModuleKind`; undefined without a tsconfig
 * @param packageType the `type` of the nearest package.json
 */
export function formatRule(
  file: string,
  module: number | undefined,
  packageType: string | undefined,
): FormatRule {
  if (/\.m[jt]s$/.test(file)) return 'module';
  if (/\.c[jt]s$/.test(file)) return 'commonjs';
  if (isTypeScriptFile(file) && module !== undefined) {
    if (module <= moduleKind.system && module >= 0) return 'commonjs';
    if (module < moduleKind.node16 || module >= moduleKind.preserve) return 'module';
    return packageType === 'module' ? 'module' : 'commonjs';
  }
  if (packageType === 'module' || packageType === 'commonjs') return packageType;
  return 'detect';
}
