/**
 * Rewrites what CommonJS text cannot say in the way of an ES module: `import()` goes to the
 * loader's `$import`, `import.meta` becomes what it holds at the original place of the file,
 * imports move to the top, and names that the text itself needs are set free.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { splitPrologue } from '../apply/frames.js';
import { moduleRenames } from './module-scope.js';

interface ModuleContext {
  /** Absolute path of the original file. */
  readonly file: string;
  readonly format: 'commonjs' | 'module';
}

/**
 * The file with its module syntax rewritten.
 * @param source the parsed and bound file
 * @param edited the same file with other edits applied
 */
export function rewriteModuleSyntax(
  context: ts.TransformationContext,
  source: ts.SourceFile,
  edited: ts.SourceFile,
  { file, format }: ModuleContext,
): ts.SourceFile {
  const isJavaScript = /\.[cm]?jsx?$/.test(file);
  const renames =
    format === 'module' ? moduleRenames(source, isJavaScript) : new Map<ts.Identifier, string>();
  const rewrites = renames.size > 0 || /\bimport\s*[.(/]/.test(source.text);
  const result = rewrites ? new Rewriter(context, file, renames).rewrite(edited) : edited;
  return format === 'module' ? importsFirst(context.factory, source, result) : result;
}

class Rewriter {
  private readonly factory: ts.NodeFactory;
  private readonly meta: Readonly<Record<string, string>>;
  private needsMeta = false;

  constructor(
    private readonly context: ts.TransformationContext,
    file: string,
    private readonly renames: ReadonlyMap<ts.Identifier, string>,
  ) {
    this.factory = context.factory;
    this.meta = {
      dirname: path.dirname(file),
      filename: file,
      url: pathToFileURL(file).href,
    };
  }

  rewrite(file: ts.SourceFile): ts.SourceFile {
    const visited = ts.visitEachChild(file, this.visit, this.context);
    return this.needsMeta ? ts.addEmitHelper(visited, metaHelper(this.meta)) : visited;
  }

  private readonly visit = (node: ts.Node): ts.Node => {
    const { factory } = this;
    if (ts.isIdentifier(node)) return this.renamed(node) ?? node;
    if (ts.isShorthandPropertyAssignment(node)) return this.visitShorthand(node);
    if (ts.isExportSpecifier(node)) return this.visitExport(node);
    if (ts.isPropertyAccessExpression(node) && isImportMeta(node.expression)) {
      const value = this.meta[node.name.text];
      if (value !== undefined) return ts.setTextRange(factory.createStringLiteral(value), node);
    }
    if (isImportMeta(node)) {
      this.needsMeta = true;
      return ts.setTextRange(factory.createIdentifier(META), node);
    }
    const visited = ts.visitEachChild(node, this.visit, this.context);
    if (ts.isCallExpression(visited) && visited.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const loader = ts.setTextRange(factory.createIdentifier('$import'), visited.expression);
      // Attributes say what the loader knows without them.
      return factory.updateCallExpression(
        visited,
        loader,
        undefined,
        visited.arguments.slice(0, 1),
      );
    }
    return visited;
  };

  private renamed(node: ts.Identifier): ts.Identifier | undefined {
    const name = this.renames.get(node);
    return name === undefined
      ? undefined
      : ts.setTextRange(this.factory.createIdentifier(name), node);
  }

  /** `{ require }` to `{ require: $require }`. */
  private visitShorthand(node: ts.ShorthandPropertyAssignment): ts.Node {
    const { factory } = this;
    const name = this.renamed(node.name);
    if (name === undefined) return ts.visitEachChild(node, this.visit, this.context);
    const { objectAssignmentInitializer } = node;
    const value = objectAssignmentInitializer
      ? factory.createAssignment(name, this.visit(objectAssignmentInitializer) as ts.Expression)
      : name;
    return ts.setTextRange(factory.createPropertyAssignment(node.name.text, value), node);
  }

  /** `export { require }` to `export { $require as require }`. */
  private visitExport(node: ts.ExportSpecifier): ts.Node {
    const local = node.propertyName ?? node.name;
    const name = ts.isIdentifier(local) ? this.renamed(local) : undefined;
    if (name === undefined) return node;
    return this.factory.updateExportSpecifier(node, node.isTypeOnly, name, node.name);
  }
}

function isImportMeta(node: ts.Node): node is ts.MetaProperty {
  return (
    ts.isMetaProperty(node) &&
    node.keywordToken === ts.SyntaxKind.ImportKeyword &&
    node.name.text === 'meta'
  );
}

const META = '$importMeta';

/** `import.meta` as a whole, for code that does more than to read one of its known properties. */
function metaHelper(meta: Readonly<Record<string, string>>): ts.EmitHelper {
  return {
    name: 'detsim:importMeta',
    scoped: false,
    text: `
const ${META} = Object.assign(Object.create(null), ${JSON.stringify(meta)}, {
    resolve(specifier) {
        const { createRequire, isBuiltin } = require("node:module");
        if (isBuiltin(specifier)) return specifier.replace(/^(?!node:)/, "node:");
        if (URL.canParse(specifier)) return new URL(specifier).href;
        const found = createRequire(${JSON.stringify(meta.url)}).resolve(specifier);
        return require("node:url").pathToFileURL(found).href;
    },
});`,
  };
}

/** An ES module has its imports before anything else runs, wherever they stand. */
function importsFirst(
  factory: ts.NodeFactory,
  source: ts.SourceFile,
  file: ts.SourceFile,
): ts.SourceFile {
  const { statements } = source;
  const first = statements.findIndex((statement) => !isImport(statement));
  if (first === -1 || !statements.slice(first).some(isImport)) return file;
  const [prologue, rest] = splitPrologue(ts, file.statements);
  const injected = rest.findIndex(({ pos }) => pos >= 0);
  const body = rest.slice(injected);
  const sorted = [
    ...prologue,
    ...rest.slice(0, injected),
    ...body.filter(isImport),
    ...body.filter((statement) => !isImport(statement)),
  ];
  const list = ts.setTextRange(factory.createNodeArray(sorted), file.statements);
  return factory.updateSourceFile(file, list);
}

function isImport(statement: ts.Statement): boolean {
  return (
    ts.isImportDeclaration(statement) ||
    (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined)
  );
}
