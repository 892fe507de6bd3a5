/**
 * Names that mean one thing in an ES module and another in the CommonJS text made of it.
 *
 * An ES module may declare `require`, `exports` or `module` itself (`const require =
 * createRequire(import.meta.url)` is common), and sees none of them otherwise; the emitted text
 * needs them for its own ends. So the module's own names are renamed, and names that an ES module
 * does not have become names that nobody has.
 */

import ts from 'typescript';
import { opensScope, Scope } from '../analyzer/scopes.js';

const EMITTED = ['require', 'exports', 'module'];
const COMMONJS = [...EMITTED, '__filename', '__dirname'];

/**
 * The identifiers of an ES module to be renamed, with their new names.
 * @param source a bound file: its nodes know their parents
 * @param strict whether names that Node does not give to ES modules are taken away. TypeScript is
 *   often run by tools that do give them, so it keeps them.
 */
export function moduleRenames(source: ts.SourceFile, strict: boolean): Map<ts.Identifier, string> {
  const renames = new Map<ts.Identifier, string>();
  const names = COMMONJS.filter((name) => source.text.includes(name));
  if (names.length === 0) return renames;
  const exported = exportedVariables(source);
  const walk = (node: ts.Node, outer: Scope): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    const scope = opensScope(ts, node) ? new Scope(ts, node, outer) : outer;
    if (ts.isIdentifier(node) && names.includes(node.text) && isVariable(node)) {
      const declaration = scope.lookup(node.text);
      if (declaration === undefined) {
        if (strict) renames.set(node, unusedName(source, `$no_${node.text}`));
      } else if (
        declaration.scope.node === source &&
        !declaration.imported &&
        EMITTED.includes(node.text) &&
        !exported.has(node.text)
      ) {
        renames.set(node, unusedName(source, `$${node.text}`));
      }
    }
    ts.forEachChild(node, (child) => walk(child, scope));
  };
  const top = new Scope(ts, source, undefined);
  source.statements.forEach((statement) => walk(statement, top));
  return renames;
}

function unusedName(source: ts.SourceFile, wanted: string): string {
  let name = wanted;
  while (source.text.includes(name)) name = `$${name}`;
  return name;
}

/** `export const require = …` lives on the exports object: there is no variable to rename. */
function exportedVariables(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    if (!statement.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) continue;
    for (const { name } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name)) names.add(name.text);
    }
  }
  return names;
}

/**
 * Whether an identifier stands for a variable, not for a property, a label or a part of an import.
 */
function isVariable(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isBindingElement(parent)) return parent.propertyName !== node;
  if (ts.isExportSpecifier(parent)) {
    const { moduleSpecifier } = parent.parent.parent;
    return moduleSpecifier === undefined && (parent.propertyName ?? parent.name) === node;
  }
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isPropertyDeclaration(parent)) return parent.initializer === node;
  if (ts.isEnumMember(parent)) return parent.initializer === node;
  return !(
    ts.isMethodDeclaration(parent) ||
    ts.isAccessor(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isImportClause(parent) ||
    ts.isNamespaceImport(parent) ||
    ts.isNamespaceExport(parent) ||
    ts.isLabeledStatement(parent) ||
    ts.isBreakOrContinueStatement(parent) ||
    ts.isMetaProperty(parent) ||
    ts.isJsxAttribute(parent)
  );
}
