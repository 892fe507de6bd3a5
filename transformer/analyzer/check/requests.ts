/** The modules a file asks for: by `import`, `export … from`, `import()`, `require` and its kin. */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import { on, type Listener, type RuleContext } from './rule.js';

/** A request that is there when the program runs; imports of types alone are none. */
export interface Request {
  /** The whole statement or call. */
  readonly node: ts.Node;
  readonly specifier: ts.StringLiteralLike;
  /** Whether it is loaded synchronously, by `require` or what stands for it. */
  readonly synchronous: boolean;
}

export function onRequest(
  ts: TypeScript,
  visit: (request: Request, context: RuleContext) => void,
): readonly Listener[] {
  const { SyntaxKind } = ts;
  const literal = (node: ts.Node | undefined): ts.StringLiteralLike | undefined =>
    node !== undefined && ts.isStringLiteralLike(node) ? node : undefined;
  return [
    on<ts.ImportDeclaration>(SyntaxKind.ImportDeclaration, (node, context) => {
      const specifier = literal(node.moduleSpecifier);
      if (specifier === undefined || isTypeImport(ts, node)) return;
      visit({ node, specifier, synchronous: false }, context);
    }),
    on<ts.ExportDeclaration>(SyntaxKind.ExportDeclaration, (node, context) => {
      const specifier = literal(node.moduleSpecifier);
      if (specifier === undefined || node.isTypeOnly) return;
      visit({ node, specifier, synchronous: false }, context);
    }),
    on<ts.ImportEqualsDeclaration>(SyntaxKind.ImportEqualsDeclaration, (node, context) => {
      const { moduleReference } = node;
      if (!ts.isExternalModuleReference(moduleReference) || node.isTypeOnly) return;
      const specifier = literal(moduleReference.expression);
      if (specifier !== undefined) visit({ node, specifier, synchronous: true }, context);
    }),
    on<ts.CallExpression>(SyntaxKind.CallExpression, (node, context) => {
      const specifier = literal(node.arguments[0]);
      if (specifier === undefined) return;
      const dynamic = node.expression.kind === SyntaxKind.ImportKeyword;
      if (!dynamic && !isRequire(node.expression, context)) return;
      visit({ node, specifier, synchronous: !dynamic }, context);
    }),
  ];
}

function isTypeImport(ts: TypeScript, node: ts.ImportDeclaration): boolean {
  const { importClause } = node;
  if (importClause === undefined) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { namedBindings, name } = importClause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.length > 0 &&
    namedBindings.elements.every((one) => one.isTypeOnly)
  );
}

/** `require`, and what `module.createRequire` has made. */
function isRequire(callee: ts.Expression, { ts, names, types, checker }: RuleContext): boolean {
  if (!ts.isIdentifier(callee)) return ts.isCallExpression(callee) && isCreated(callee);
  if (names.of(callee) === 'require') return true;
  return types.inherits(checker.getTypeAtLocation(callee), 'require');

  function isCreated(call: ts.CallExpression): boolean {
    return /^module\.(?:Module\.)?createRequire$/.test(names.of(call.expression) ?? '');
  }
}

/** The package that a specifier names: `@scope/name` or `name`; undefined for a path. */
export function packageOf(specifier: string): string | undefined {
  return /^(?:@[^/]+\/)?[^./@][^/]*/.exec(specifier)?.[0];
}
