/**
 * Ambient const enums: they exist in declaration files only, so each use has to become its value.
 *
 * A compiler with all types does that; without types, an imported name is a candidate if it is only
 * used as `Name.Member`, and its declaration is looked for where the import leads. Const enums of
 * the project's own sources are emitted as ordinary enums, and need nothing.
 */

import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { enumValues, type EnumValue } from './const-enum-values.js';

type Values = ReadonlyMap<string, EnumValue>;

/**
 * The file with the members of ambient const enums replaced by their values.
 * @param inlinedFrom takes the declaration files that the values came from
 */
export function inlineConstEnums(
  context: ts.TransformationContext,
  source: ts.SourceFile,
  edited: ts.SourceFile,
  { file, options }: { file: string; options: ts.CompilerOptions },
  inlinedFrom: Set<string>,
): ts.SourceFile {
  const enums = new Map<string, Values>();
  for (const statement of source.statements) {
    if (isAmbientConstEnum(statement)) enums.set(statement.name.text, enumValues(statement));
  }
  const imports = namedImports(source);
  if (imports.length > 0) {
    const uses = new MemberUses(source);
    for (const { local, imported, module } of imports) {
      if (!uses.areAllMembers(local)) continue;
      const declarations = declarationFile(module, file, options);
      if (declarations === undefined) continue;
      const seen = new Set<string>();
      const values = findConstEnum(imported, declarations, seen);
      if (values === undefined) continue;
      enums.set(local, values);
      seen.forEach((one) => inlinedFrom.add(one));
    }
  }
  return enums.size === 0 ? edited : inline(context, edited, enums);
}

function isAmbientConstEnum(statement: ts.Statement): statement is ts.EnumDeclaration {
  return (
    ts.isEnumDeclaration(statement) &&
    hasModifier(statement, ts.SyntaxKind.DeclareKeyword) &&
    hasModifier(statement, ts.SyntaxKind.ConstKeyword)
  );
}

function hasModifier(node: ts.EnumDeclaration, kind: ts.SyntaxKind): boolean {
  return node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

interface NamedImport {
  readonly local: string;
  readonly imported: string;
  readonly module: string;
}

function namedImports(source: ts.SourceFile): NamedImport[] {
  return source.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
    const { importClause, moduleSpecifier } = statement;
    const bindings = importClause?.namedBindings;
    if (!bindings || importClause.isTypeOnly || !ts.isNamedImports(bindings)) return [];
    const module = (moduleSpecifier as ts.StringLiteral).text;
    if (module.startsWith('node:')) return [];
    return bindings.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name, propertyName }) => ({
        local: name.text,
        imported: (propertyName ?? name).text,
        module,
      }));
  });
}

/** How names are used in a file. */
class MemberUses {
  private readonly members = new Set<string>();
  private readonly others = new Set<string>();

  constructor(source: ts.SourceFile) {
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
      if (ts.isImportDeclaration(node)) return;
      if (ts.isIdentifier(node)) this.others.add(node.text);
      else if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
        this.members.add(node.expression.text);
      } else {
        ts.forEachChild(node, visit);
      }
    };
    visit(source);
  }

  areAllMembers(name: string): boolean {
    return this.members.has(name) && !this.others.has(name);
  }
}

/** The declaration file that a specifier leads to; undefined if it leads to a source. */
function declarationFile(
  specifier: string,
  from: string,
  options: ts.CompilerOptions,
): string | undefined {
  const { resolvedModule } = ts.resolveModuleName(
    specifier,
    from,
    { moduleResolution: ts.ModuleResolutionKind.Bundler, ...options },
    ts.sys,
  );
  const found = resolvedModule?.resolvedFileName;
  return found !== undefined && /\.d\.[cm]?ts$/.test(found) ? found : undefined;
}

/** Looks for `const enum name` in a declaration file and in those that it exports again. */
function findConstEnum(name: string, file: string, seen: Set<string>): Values | undefined {
  if (seen.has(file) || !fs.existsSync(file)) return undefined;
  seen.add(file);
  const text = fs.readFileSync(file, 'utf8');
  if (new RegExp(`\\bconst\\s+enum\\s+${name.replace(/\$/g, '\\$')}\\b`).test(text)) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const declaration = source.statements.find(
      (s): s is ts.EnumDeclaration => ts.isEnumDeclaration(s) && s.name.text === name,
    );
    if (declaration !== undefined) return enumValues(declaration);
  }
  for (const [, specifier] of text.matchAll(/\bexport\b[^;'"]*\bfrom\s*['"](\.[^'"]+)['"]/g)) {
    const base = path.join(path.dirname(file), specifier.replace(/\.([cm]?)js$/, ''));
    for (const candidate of [
      `${base}.d.ts`,
      `${base}.d.mts`,
      `${base}.d.cts`,
      `${base}/index.d.ts`,
    ]) {
      const found = findConstEnum(name, candidate, seen);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function inline(
  context: ts.TransformationContext,
  file: ts.SourceFile,
  enums: ReadonlyMap<string, Values>,
): ts.SourceFile {
  const { factory } = context;
  const visit = (node: ts.Node): ts.Node | undefined => {
    if (ts.isImportDeclaration(node)) return withoutNames(factory, node, enums);
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const value = enums.get(node.expression.text)?.get(node.name.text);
      if (value !== undefined) return ts.setTextRange(literal(factory, value), node);
    }
    return ts.visitEachChild(node, visit, context);
  };
  return ts.visitEachChild(file, visit, context);
}

function literal(factory: ts.NodeFactory, value: EnumValue): ts.Expression {
  if (typeof value === 'string') return factory.createStringLiteral(value);
  if (value >= 0) return factory.createNumericLiteral(value);
  const negative = factory.createPrefixMinus(factory.createNumericLiteral(-value));
  return factory.createParenthesizedExpression(negative);
}

/** An import without the names of enums: what it leads to may not exist at run time. */
function withoutNames(
  factory: ts.NodeFactory,
  node: ts.ImportDeclaration,
  enums: ReadonlyMap<string, Values>,
): ts.ImportDeclaration | undefined {
  const { importClause } = node;
  const bindings = importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return node;
  const kept = bindings.elements.filter(({ name }) => !enums.has(name.text));
  if (kept.length === bindings.elements.length) return node;
  if (kept.length === 0 && importClause.name === undefined) return undefined;
  const names = kept.length === 0 ? undefined : factory.updateNamedImports(bindings, kept);
  const clause = factory.updateImportClause(
    importClause,
    importClause.phaseModifier,
    importClause.name,
    names,
  );
  return factory.updateImportDeclaration(
    node,
    node.modifiers,
    clause,
    node.moduleSpecifier,
    node.attributes,
  );
}
