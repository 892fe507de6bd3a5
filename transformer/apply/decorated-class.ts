/**
 * Takes what a decorated class evaluates out of the class, when an await is among it:
 *
 *     const base_1 = await load(), dec_1 = log(await name());
 *     class A extends base_1 { @dec_1 m() {} }
 *
 * TypeScript lowers standard decorators into functions that are not async, where an await could not
 * stand. Everything is taken out, so that the order stays.
 */

import type ts from 'typescript';
import type { TypeScript } from '../analyzer/index.js';

type AnyClass = ts.ClassDeclaration | ts.ClassExpression;

interface Taken {
  readonly name: ts.Identifier;
  readonly value: ts.Expression;
}

/** Rewrites one visited class; a declaration becomes two statements. */
export function takeOut(
  ts: TypeScript,
  context: ts.TransformationContext,
  node: AnyClass,
): ts.Node | ts.Node[] {
  const { factory } = context;
  const taken: Taken[] = [];
  const take = (prefix: string, value: ts.Expression): ts.Identifier => {
    const name = factory.createUniqueName(prefix);
    taken.push({ name, value });
    return name;
  };
  const visit = (child: ts.Node): ts.Node => {
    if (ts.isDecorator(child)) {
      // A decorator that is only named keeps its receiver.
      if (!ts.isCallExpression(child.expression)) return child;
      return factory.updateDecorator(child, take('dec', child.expression));
    }
    if (ts.isComputedPropertyName(child)) {
      return factory.updateComputedPropertyName(child, take('key', child.expression));
    }
    if (ts.isHeritageClause(child) || ts.isClassElement(child)) {
      return ts.visitEachChild(child, visit, context);
    }
    if (ts.isExpressionWithTypeArguments(child) && !isImplemented(ts, child)) {
      return factory.updateExpressionWithTypeArguments(
        child,
        take('base', child.expression),
        undefined,
      );
    }
    return child;
  };
  const plain = ts.visitEachChild(node, visit, context);
  return ts.isClassDeclaration(plain)
    ? [constants(ts, factory, taken), plain]
    : sequence(context, taken, plain);
}

function isImplemented(ts: TypeScript, node: ts.ExpressionWithTypeArguments): boolean {
  const clause = ts.getOriginalNode(node).parent as ts.HeritageClause | undefined;
  return clause?.token === ts.SyntaxKind.ImplementsKeyword;
}

function constants(
  ts: TypeScript,
  factory: ts.NodeFactory,
  taken: readonly Taken[],
): ts.VariableStatement {
  const declarations = taken.map(({ name, value }) =>
    factory.createVariableDeclaration(name, undefined, undefined, value),
  );
  return factory.createVariableStatement(
    undefined,
    factory.createVariableDeclarationList(declarations, ts.NodeFlags.Const),
  );
}

/** `(dec_1 = …, class { … })` for a class that is an expression. */
function sequence(
  { factory, hoistVariableDeclaration }: ts.TransformationContext,
  taken: readonly Taken[],
  node: ts.ClassExpression,
): ts.Expression {
  const assignments = taken.map(({ name, value }) => {
    hoistVariableDeclaration(name);
    return factory.createAssignment(name, value);
  });
  return factory.createParenthesizedExpression(
    factory.createCommaListExpression([...assignments, node]),
  );
}
