/**
 * The findings in a file that ESLint looks at, from the program behind typescript-eslint's parser.
 */

import type { Rule, SourceCode } from 'eslint';
import type ts from 'typescript';
import type { TypeScript } from '../../transformer/analyzer/index.js';
import { findingsOf, type Finding } from '../findings.js';

/** What typescript-eslint's parser leaves for rules; the program is null without types. */
interface ParserServices {
  readonly program?: ts.Program | null;
}

/** Files about which the lack of types was reported. */
const told = new WeakSet<SourceCode>();

/** @returns undefined where there are no types */
export function typedFindings(context: Rule.RuleContext): readonly Finding[] | undefined {
  const { sourceCode, filename } = context;
  const { program } = sourceCode.parserServices as ParserServices;
  const file = program?.getSourceFile(filename);
  if (!program || file === undefined) return undefined;
  return findingsOf(typescriptOf(file), program, file);
}

/** Says once for each file that the rules could not look at it. */
export function withoutTypes(context: Rule.RuleContext): void {
  const { sourceCode } = context;
  if (told.has(sourceCode)) return;
  told.add(sourceCode);
  context.report({
    loc: { line: 1, column: 0 },
    message:
      "The rules of detsim need types and there are none for this file: use typescript-eslint's " +
      'parser with `parserOptions: { projectService: true }`, and see that a tsconfig includes the ' +
      'file; or leave it out with `files` or `ignores`.',
  });
}

/**
 * The TypeScript that made a file: another version numbers the kinds of nodes in another way. It is
 * among the modules that are loaded.
 * @throws Error when it is not, which no installation should bring about
 */
function typescriptOf(file: ts.SourceFile): TypeScript {
  for (const [name, loaded] of Object.entries(require.cache)) {
    if (!/[\\/]lib[\\/]typescript\.js$/.test(name)) continue;
    const typescript = loaded?.exports as Partial<TypeScript> | undefined;
    if (typescript?.SyntaxKind?.SourceFile === file.kind) return typescript as TypeScript;
  }
  throw new Error("detsim/eslint cannot find the TypeScript that ESLint's parser has loaded.");
}
