/**
 * Which global, or which export of one of Node's modules, an expression is: `fs.readFile`,
 * `Atomics.wait`, `setTimeout`.
 *
 * The checker decides, not the spelling. A name is that of the declaration in the default library
 * or in the types of Node, after following aliases, re-exports, destructuring, constants, `bind`
 * and `promisify`. A name the program declares itself is none. Where there are no types (a project
 * without @types/node, plain JavaScript) the module specifier stands for them.
 */

import type ts from 'typescript';
import { builtinModules } from 'node:module';
import type { TypeScript } from '../sites.js';
import { skipOuter } from '../outer-expressions.js';
import { canonicalName, declaredName } from './declared-name.js';
import { callsOwnFunction } from './own-function.js';

/** What most expressions are. */
const NO_NAME = { name: undefined };

const BUILTINS = new Set(builtinModules.map((name) => name.replace(/^node:/, '')));

/** Resolves expressions of one program. */
export class Names {
  private readonly ofSymbols = new Map<ts.Symbol, string | undefined>();
  private readonly ofNodes = new WeakMap<ts.Node, { readonly name: string | undefined }>();
  /** What was asked last: many rules ask the same of one call. */
  private lastNode: ts.Node | undefined;
  private lastName: string | undefined;

  constructor(
    private readonly ts: TypeScript,
    private readonly checker: ts.TypeChecker,
  ) {}

  /** The name of what `node` evaluates to; undefined when it is nothing of Node's. */
  of(node: ts.Expression): string | undefined {
    if (node === this.lastNode) return this.lastName;
    const known = this.ofNodes.get(node);
    const name = known === undefined ? this.findFirst(node) : known.name;
    this.lastNode = node;
    this.lastName = name;
    return name;
  }

  private findFirst(node: ts.Expression): string | undefined {
    if (callsOwnFunction(this.ts, this.checker, node)) {
      this.ofNodes.set(node, NO_NAME);
      return undefined;
    }
    this.ofNodes.set(node, NO_NAME); // Ends cycles.
    const name = this.find(skipOuter(this.ts, node));
    if (name !== undefined) this.ofNodes.set(node, { name });
    return name;
  }

  private find(node: ts.Expression): string | undefined {
    const { ts } = this;
    if (ts.isIdentifier(node)) return this.ofIdentifier(node);
    if (ts.isPropertyAccessExpression(node)) {
      return this.ofMember(node.expression, node.name, node.name.text);
    }
    if (ts.isElementAccessExpression(node)) {
      const key = node.argumentExpression;
      if (!ts.isStringLiteralLike(key)) return undefined;
      return this.ofMember(node.expression, key, key.text);
    }
    if (ts.isCallExpression(node)) return this.ofCall(node);
    if (ts.isAwaitExpression(node)) return this.of(node.expression);
    if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken;
      if (kind === ts.SyntaxKind.CommaToken) return this.of(node.right);
      const either =
        kind === ts.SyntaxKind.BarBarToken || kind === ts.SyntaxKind.QuestionQuestionToken;
      return either ? (this.of(node.left) ?? this.of(node.right)) : undefined;
    }
    return undefined;
  }

  private ofIdentifier(node: ts.Identifier): string | undefined {
    const symbol = this.checker.getSymbolAtLocation(node);
    // What nobody declares is a global of the run time.
    if (symbol === undefined) return canonicalName(undefined, [node.text]);
    return this.ofSymbol(symbol);
  }

  private ofMember(object: ts.Expression, name: ts.Node, text: string): string | undefined {
    const symbol = this.checker.getSymbolAtLocation(name);
    const found = symbol && this.ofSymbol(symbol);
    if (found !== undefined) return found;
    if (symbol?.declarations?.some((one) => !one.getSourceFile().isDeclarationFile)) {
      return undefined;
    }
    const base = this.of(object);
    return base === undefined ? undefined : member(base, text);
  }

  /** `require("fs")`, `import("fs")`, `promisify(f)` and `f.bind(x)`. */
  private ofCall(call: ts.CallExpression): string | undefined {
    const { ts } = this;
    const callee = skipOuter(ts, call.expression);
    const [argument] = call.arguments;
    if (argument !== undefined && ts.isStringLiteralLike(argument)) {
      const loads =
        callee.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(callee) && this.of(callee) === 'require') ||
        this.of(callee) === 'process.getBuiltinModule';
      return loads ? moduleName(argument.text) : undefined;
    }
    if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'bind') {
      return this.of(callee.expression);
    }
    const wraps = argument !== undefined && this.of(callee) === 'util.promisify';
    return wraps ? this.of(argument) : undefined;
  }

  /** The name of what a symbol stands for. */
  ofSymbol(symbol: ts.Symbol): string | undefined {
    if (this.ofSymbols.has(symbol)) return this.ofSymbols.get(symbol);
    this.ofSymbols.set(symbol, undefined); // Ends cycles.
    const name = this.findSymbol(symbol);
    this.ofSymbols.set(symbol, name);
    return name;
  }

  private findSymbol(symbol: ts.Symbol): string | undefined {
    const { ts, checker } = this;
    if ((symbol.flags & ts.SymbolFlags.Alias) !== 0) {
      const target = checker.getAliasedSymbol(symbol);
      const name = target.declarations === undefined ? undefined : this.ofSymbol(target);
      if (name !== undefined || target.declarations?.some(isOwn)) return name;
      return this.ofAlias(symbol.declarations?.[0]);
    }
    for (const declaration of symbol.declarations ?? []) {
      const name = declaration.getSourceFile().isDeclarationFile
        ? declaredName(ts, declaration)
        : this.ofDeclaration(declaration);
      if (name !== undefined) return name;
    }
    return undefined;
  }

  /** What an import declares, by its specifier: the module has no types. */
  private ofAlias(declaration: ts.Declaration | undefined): string | undefined {
    const { ts } = this;
    if (declaration === undefined) return undefined;
    if (ts.isImportEqualsDeclaration(declaration)) {
      const { moduleReference } = declaration;
      if (!ts.isExternalModuleReference(moduleReference)) return undefined;
      return this.ofSpecifier(moduleReference.expression);
    }
    if (ts.isImportSpecifier(declaration) || ts.isExportSpecifier(declaration)) {
      const name = (declaration.propertyName ?? declaration.name).text;
      const { parent } = declaration.parent;
      const specifier = ts.isImportClause(parent)
        ? (parent.parent as ts.ImportDeclaration).moduleSpecifier
        : parent.moduleSpecifier;
      if (specifier === undefined) {
        const local = this.checker.getExportSpecifierLocalTargetSymbol(
          declaration as ts.ExportSpecifier,
        );
        return local && this.ofSymbol(local);
      }
      const module = this.ofSpecifier(specifier);
      if (module !== undefined) return name === 'default' ? module : member(module, name);
      return this.ofExport(specifier, name);
    }
    if (ts.isNamespaceImport(declaration)) {
      return this.ofSpecifier((declaration.parent.parent as ts.ImportDeclaration).moduleSpecifier);
    }
    if (ts.isImportClause(declaration)) {
      return this.ofSpecifier((declaration.parent as ts.ImportDeclaration).moduleSpecifier);
    }
    return this.ofDeclaration(declaration);
  }

  /** What another file of the program exports, where that leads to a module without types. */
  private ofExport(specifier: ts.Expression, name: string): string | undefined {
    const module = this.checker.getSymbolAtLocation(specifier);
    const exported = module?.exports?.get(this.ts.escapeLeadingUnderscores(name));
    return exported && this.ofSymbol(exported);
  }

  private ofSpecifier(specifier: ts.Expression | undefined): string | undefined {
    return specifier !== undefined && this.ts.isStringLiteralLike(specifier)
      ? moduleName(specifier.text)
      : undefined;
  }

  /** Follows a declaration of the program to the value that it names for good. */
  private ofDeclaration(declaration: ts.Declaration): string | undefined {
    const { ts } = this;
    if (ts.isBindingElement(declaration)) return this.ofBinding(declaration);
    if (ts.isVariableDeclaration(declaration)) {
      return isConstant(ts, declaration) ? this.ofInitializer(declaration.initializer) : undefined;
    }
    if (ts.isPropertyAssignment(declaration)) return this.of(declaration.initializer);
    if (ts.isShorthandPropertyAssignment(declaration)) {
      const value = this.checker.getShorthandAssignmentValueSymbol(declaration);
      return value && this.ofSymbol(value);
    }
    if (ts.isPropertyDeclaration(declaration)) {
      const isReadonly = declaration.modifiers?.some(
        (one) => one.kind === ts.SyntaxKind.ReadonlyKeyword,
      );
      return isReadonly === true ? this.ofInitializer(declaration.initializer) : undefined;
    }
    return undefined;
  }

  private ofInitializer(initializer: ts.Expression | undefined): string | undefined {
    return initializer && this.of(initializer);
  }

  /** One name of a destructuring: by the type of what is taken apart, or else by its own name. */
  private ofBinding(element: ts.BindingElement): string | undefined {
    const { ts, checker } = this;
    const pattern = element.parent;
    if (!ts.isObjectBindingPattern(pattern) || element.dotDotDotToken) return undefined;
    const key = element.propertyName ?? element.name;
    if (!ts.isIdentifier(key) && !ts.isStringLiteralLike(key)) return undefined;
    const owner = pattern.parent;
    if (ts.isVariableDeclaration(owner) && !isConstant(ts, owner)) return undefined;
    const property = checker.getTypeAtLocation(pattern).getProperty(key.text);
    const found = property && this.ofSymbol(property);
    if (found !== undefined) return found;
    const base = ts.isBindingElement(owner)
      ? this.ofBinding(owner)
      : this.ofInitializer(owner.initializer);
    return base === undefined ? undefined : member(base, key.text);
  }
}

/** Whether the program declares it itself, and so not the types of a module. */
function isOwn(declaration: ts.Declaration): boolean {
  return !declaration.getSourceFile().isDeclarationFile;
}

/** The module of Node that a specifier names, without `node:`. */
function moduleName(specifier: string): string | undefined {
  const name = specifier.replace(/^node:/, '');
  return BUILTINS.has(name) ? canonicalName(name, []) : undefined;
}

function member(base: string, name: string): string {
  const path = base.split('.');
  const isModule = BUILTINS.has(path[0]);
  return canonicalName(isModule ? path[0] : undefined, [...path.slice(isModule ? 1 : 0), name])!;
}

/** Whether a variable keeps its first value; in old JavaScript `var` is taken to. */
function isConstant(ts: TypeScript, declaration: ts.VariableDeclaration): boolean {
  const list = declaration.parent;
  if (!ts.isVariableDeclarationList(list)) return false;
  if ((list.flags & ts.NodeFlags.Const) !== 0) return true;
  return (list.flags & ts.NodeFlags.Let) === 0 && (list.flags & ts.NodeFlags.JavaScriptFile) !== 0;
}
