/**
 * Lexical scopes of one file, without a checker and without parent pointers.
 *
 * The analyzer opens a scope for each node that can declare names. What a scope declares is found
 * only when a name is first looked up in it, so files that call nothing of interest pay nothing.
 */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** What a name stands for, as far as it can be followed. */
export interface Declaration {
  readonly scope: Scope;
  /** The expression whose value, followed along `path`, the name is bound to. */
  readonly value?: ts.Expression;
  /** The module whose export, followed along `path`, the name is bound to. */
  readonly module?: string;
  readonly path: readonly string[];
  /** Whether the name always means the same: `const`, and declarations of functions. */
  readonly constant: boolean;
  /** Whether an import declares the name. */
  readonly imported: boolean;
}

/** Names declared by one function, block, loop, class or file. */
export class Scope {
  private names: Map<string, Declaration> | undefined;

  constructor(
    private readonly ts: TypeScript,
    readonly node: ts.Node,
    readonly parent: Scope | undefined,
  ) {}

  /** The innermost declaration of `name`; undefined when the file has none: a global. */
  lookup(name: string): Declaration | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      scope.names ??= new Collector(scope.ts, scope).collect();
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Whether a node declares names that are not visible outside of it. */
export function opensScope(ts: TypeScript, node: ts.Node): boolean {
  switch (node.kind) {
    case ts.SyntaxKind.SourceFile:
    case ts.SyntaxKind.Block:
    case ts.SyntaxKind.CaseBlock:
    case ts.SyntaxKind.ModuleBlock:
    case ts.SyntaxKind.CatchClause:
    case ts.SyntaxKind.ForStatement:
    case ts.SyntaxKind.ForInStatement:
    case ts.SyntaxKind.ForOfStatement:
    case ts.SyntaxKind.ClassDeclaration:
    case ts.SyntaxKind.ClassExpression:
    case ts.SyntaxKind.ClassStaticBlockDeclaration:
      return true;
    default:
      return ts.isFunctionLike(node);
  }
}

/** Collects what one scope declares. */
class Collector {
  private readonly names = new Map<string, Declaration>();

  constructor(
    private readonly ts: TypeScript,
    private readonly scope: Scope,
  ) {}

  collect(): Map<string, Declaration> {
    const { ts } = this;
    const { node } = this.scope;
    if (ts.isFunctionLike(node)) this.collectFunction(node as ts.FunctionLikeDeclaration);
    else if (ts.isSourceFile(node) || ts.isModuleBlock(node)) this.collectBody(node.statements);
    else if (ts.isBlock(node)) this.collectLexical(node.statements);
    else if (ts.isCaseBlock(node)) node.clauses.forEach((c) => this.collectLexical(c.statements));
    else if (ts.isClassStaticBlockDeclaration(node)) this.collectBody(node.body.statements);
    else if (ts.isClassLike(node)) this.declare(node.name);
    else if (ts.isCatchClause(node)) {
      if (node.variableDeclaration) this.bind(node.variableDeclaration.name, undefined, []);
    } else if (ts.isForStatement(node) || ts.isForOfStatement(node) || ts.isForInStatement(node)) {
      const { initializer } = node;
      if (initializer && ts.isVariableDeclarationList(initializer)) this.variables(initializer);
    }
    return this.names;
  }

  private collectFunction(node: ts.FunctionLikeDeclaration): void {
    const { ts } = this;
    if (node.kind === ts.SyntaxKind.FunctionExpression) this.declare(node.name as ts.Identifier);
    for (const parameter of node.parameters) {
      this.bind(parameter.name, parameter.initializer, []);
    }
    if (node.body && ts.isBlock(node.body)) this.collectBody(node.body.statements);
  }

  /** The statements of a function or a file: `var` reaches here from nested blocks. */
  private collectBody(statements: ts.NodeArray<ts.Statement>): void {
    this.collectLexical(statements);
    const visit = (node: ts.Node): void => {
      if (this.ts.isFunctionLike(node) || this.ts.isClassLike(node)) return;
      if (this.ts.isExpression(node) || this.ts.isTypeNode(node)) return;
      if (
        this.ts.isVariableDeclarationList(node) &&
        !(node.flags & this.ts.NodeFlags.BlockScoped)
      ) {
        this.variables(node);
      } else {
        this.ts.forEachChild(node, visit);
      }
    };
    statements.forEach(visit);
  }

  private collectLexical(statements: ts.NodeArray<ts.Statement>): void {
    const { ts } = this;
    for (const statement of statements) {
      if (isAmbient(ts, statement)) continue;
      if (ts.isVariableStatement(statement)) this.variables(statement.declarationList);
      else if (ts.isImportDeclaration(statement)) this.imports(statement);
      else if (ts.isImportEqualsDeclaration(statement)) this.importEquals(statement);
      else if (ts.isFunctionDeclaration(statement)) this.declareFunction(statement);
      else if (
        ts.isClassDeclaration(statement) ||
        ts.isEnumDeclaration(statement) ||
        ts.isModuleDeclaration(statement)
      ) {
        this.declare(statement.name);
      }
    }
  }

  private variables(list: ts.VariableDeclarationList): void {
    const constant = (list.flags & this.ts.NodeFlags.BlockScoped) === this.ts.NodeFlags.Const;
    for (const { name, initializer } of list.declarations) {
      this.bind(name, initializer, [], constant);
    }
  }

  private imports({ importClause, moduleSpecifier }: ts.ImportDeclaration): void {
    const { ts } = this;
    if (importClause === undefined || importClause.isTypeOnly) return;
    const module = (moduleSpecifier as ts.StringLiteral).text;
    if (importClause.name) this.import(importClause.name, module, ['default']);
    const bindings = importClause.namedBindings;
    if (bindings === undefined) return;
    if (ts.isNamespaceImport(bindings)) return this.import(bindings.name, module, []);
    for (const { isTypeOnly, name, propertyName } of bindings.elements) {
      if (!isTypeOnly) this.import(name, module, [(propertyName ?? name).text]);
    }
  }

  private importEquals({ isTypeOnly, name, moduleReference }: ts.ImportEqualsDeclaration): void {
    const { ts } = this;
    if (isTypeOnly) return;
    if (!ts.isExternalModuleReference(moduleReference)) return this.declare(name);
    const specifier = moduleReference.expression;
    if (ts.isStringLiteral(specifier)) this.import(name, specifier.text, []);
  }

  private import(name: ts.Identifier, module: string, path: readonly string[]): void {
    this.names.set(name.text, {
      scope: this.scope,
      module,
      path,
      constant: true,
      imported: true,
    });
  }

  private declare(name: ts.Node | undefined): void {
    if (name && this.ts.isIdentifier(name)) this.bind(name, undefined, []);
  }

  private declareFunction(node: ts.FunctionDeclaration): void {
    const { scope, names } = this;
    if (node.name === undefined) return;
    // A function is a value as an expression is, though no reference leads further from it.
    const value = node as unknown as ts.Expression;
    names.set(node.name.text, { scope, value, path: [], constant: true, imported: false });
  }

  /** Binds every name of a pattern to the part of `value` that it takes. */
  private bind(
    name: ts.BindingName,
    value: ts.Expression | undefined,
    path: readonly string[],
    constant = false,
  ): void {
    const { ts, scope, names } = this;
    if (ts.isIdentifier(name)) {
      // `var x` again, without a value, keeps what is known about x.
      if (value === undefined && names.has(name.text)) return;
      names.set(name.text, { scope, value, path, constant, imported: false });
      return;
    }
    for (const element of name.elements) {
      if (ts.isOmittedExpression(element)) continue;
      const key = element.propertyName ?? element.name;
      const followed =
        ts.isObjectBindingPattern(name) &&
        !element.dotDotDotToken &&
        (ts.isIdentifier(key) || ts.isStringLiteral(key));
      if (followed) this.bind(element.name, value, [...path, key.text], constant);
      else this.bind(element.name, undefined, [], constant);
    }
  }
}

/** `declare` statements name what exists elsewhere: globals. */
function isAmbient(ts: TypeScript, node: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.DeclareKeyword) ?? false)
  );
}
