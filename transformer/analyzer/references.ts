/**
 * Follows an expression back to the global or to the module of Node that it comes from: through
 * aliases, destructuring, imports, `require`, `globalThis`, `promisify` and `bind`.
 *
 * Nothing is lost when it follows a name too far (a variable that is assigned again): a mark at a
 * call that turns out to be another function is never read.
 */

import type ts from 'typescript';
import type { Declaration, Scope } from './scopes.js';
import { builtinModule, type Reference } from './sources.js';
import { skipOuter } from './outer-expressions.js';
import type { TypeScript } from './sites.js';

/** Resolves expressions of one file. */
export class References {
  /** Declarations followed so far; undefined while one is being followed, which ends cycles. */
  private readonly known = new Map<Declaration, Reference | undefined>();

  constructor(private readonly ts: TypeScript) {}

  /** Where the value of `node`, which stands in `scope`, comes from; undefined when unknown. */
  resolve(node: ts.Expression, scope: Scope): Reference | undefined {
    const { ts } = this;
    const expression = skipOuter(ts, node);
    if (ts.isIdentifier(expression)) return this.resolveName(expression.text, scope);
    if (ts.isPropertyAccessExpression(expression)) {
      return extend(this.resolve(expression.expression, scope), expression.name.text);
    }
    if (ts.isElementAccessExpression(expression)) {
      const key = expression.argumentExpression;
      if (!ts.isStringLiteralLike(key)) return undefined;
      return extend(this.resolve(expression.expression, scope), key.text);
    }
    if (ts.isCallExpression(expression)) return this.resolveCall(expression, scope);
    if (ts.isAwaitExpression(expression)) return this.resolve(expression.expression, scope);
    if (ts.isConditionalExpression(expression)) {
      const { whenTrue, whenFalse } = expression;
      return this.resolve(whenTrue, scope) ?? this.resolve(whenFalse, scope);
    }
    if (ts.isBinaryExpression(expression)) return this.resolveBinary(expression, scope);
    return undefined;
  }

  private resolveName(name: string, scope: Scope): Reference | undefined {
    const declaration = scope.lookup(name);
    if (declaration === undefined) return { module: undefined, path: [name] };
    if (!this.known.has(declaration)) {
      this.known.set(declaration, undefined);
      this.known.set(declaration, this.resolveDeclaration(declaration));
    }
    return this.known.get(declaration);
  }

  private resolveDeclaration({ module, value, path, scope }: Declaration): Reference | undefined {
    if (module !== undefined) {
      const builtin = builtinModule(module);
      return builtin === undefined ? undefined : { module: builtin, path };
    }
    return value && extend(this.resolve(value, scope), ...path);
  }

  private resolveBinary(node: ts.BinaryExpression, scope: Scope): Reference | undefined {
    const { SyntaxKind } = this.ts;
    switch (node.operatorToken.kind) {
      case SyntaxKind.CommaToken:
      case SyntaxKind.EqualsToken:
        return this.resolve(node.right, scope);
      case SyntaxKind.BarBarToken:
      case SyntaxKind.QuestionQuestionToken:
        return this.resolve(node.left, scope) ?? this.resolve(node.right, scope);
      case SyntaxKind.AmpersandAmpersandToken:
        return this.resolve(node.right, scope);
      default:
        return undefined;
    }
  }

  /** `require("fs")`, `import("fs")`, `promisify(f)` and `f.bind(x)`. */
  private resolveCall(call: ts.CallExpression, scope: Scope): Reference | undefined {
    const { ts } = this;
    const callee = skipOuter(ts, call.expression);
    const [argument] = call.arguments;
    if (argument !== undefined && ts.isStringLiteralLike(argument)) {
      const loads =
        callee.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(callee) && callee.text === 'require');
      const module = loads ? builtinModule(argument.text) : undefined;
      return module === undefined ? undefined : { module, path: [] };
    }
    if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'bind') {
      return this.resolve(callee.expression, scope);
    }
    if (argument === undefined) return undefined;
    const called = this.resolve(callee, scope);
    const promisifies = called?.module === 'util' && called.path.at(-1) === 'promisify';
    return promisifies ? this.resolve(argument, scope) : undefined;
  }
}

function extend(base: Reference | undefined, ...names: string[]): Reference | undefined {
  return base && { module: base.module, path: [...base.path, ...names] };
}
