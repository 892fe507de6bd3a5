/**
 * Names of what code reads and writes, the same wherever two places may mean the same thing.
 *
 * A variable is `name@position` of the scope that declares it, within its file. One that a module
 * exports or imports goes by its exported name alone, and a property by its own, whatever object it
 * is of. So one thing never has two names, though two things may share one.
 */

import type ts from 'typescript';
import type { Declaration, Scope } from '../scopes.js';
import type { TypeScript } from '../sites.js';

export class Names {
  /** Names that the file exports, by what they are called inside. */
  private readonly exported = new Map<string, string>();
  /** Names of the accessors that the file declares. */
  readonly accessors = new Set<string>();

  constructor(
    private readonly ts: TypeScript,
    file: ts.SourceFile,
  ) {
    for (const statement of file.statements) this.collectExports(statement);
    if (!/\b[gs]et\b/.test(file.text)) return;
    someNode(ts, file, (node) => {
      if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) {
        this.accessors.add(ts.isIdentifier(node.name) ? node.name.text : node.name.getText(file));
      }
      return false;
    });
  }

  private collectExports(statement: ts.Statement): void {
    const { ts } = this;
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause)) return;
      for (const { name, propertyName } of exportClause.elements) {
        this.exported.set((propertyName ?? name).text, name.text);
      }
    } else if (ts.canHaveModifiers(statement)) {
      const modifiers = ts.getModifiers(statement) ?? [];
      if (!modifiers.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) return;
      if (ts.isVariableStatement(statement)) {
        for (const { name } of statement.declarationList.declarations) {
          if (ts.isIdentifier(name)) this.exported.set(name.text, name.text);
        }
      }
    }
  }

  variable(name: string, declaration: Declaration | undefined): string {
    if (declaration === undefined) return `global ${name}`;
    const { module, path, scope } = declaration;
    if (module !== undefined) return `export ${path[0] ?? name}`;
    if (this.ts.isSourceFile(scope.node)) {
      const exported = this.exported.get(name);
      if (exported !== undefined) return `export ${exported}`;
    }
    return `${name}@${scope.node.pos}`;
  }

  property(name: string): string {
    return `.${name}`;
  }

  /** What is in a container. */
  content(variable: string): string {
    return `${variable} []`;
  }
}

/** A cache of scopes: a node looked at twice declares the same names. */
export class Scopes {
  private readonly byNode = new Map<ts.Node, Scope>();

  constructor(private readonly make: (node: ts.Node, parent: Scope | undefined) => Scope) {}

  of(node: ts.Node, parent: Scope | undefined): Scope {
    let scope = this.byNode.get(node);
    if (scope === undefined) this.byNode.set(node, (scope = this.make(node, parent)));
    return scope;
  }
}

/** Whether `test` holds for a node or for one below it. Their depth has no limit. */
export function someNode(ts: TypeScript, root: ts.Node, test: (node: ts.Node) => boolean): boolean {
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (test(node)) return true;
    ts.forEachChild(node, (child) => void pending.push(child));
  }
  return false;
}
