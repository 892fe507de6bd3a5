/** Reads the static imports back from emitted CommonJS: those that the compiler did not elide. */

import ts from 'typescript';

/** Specifiers that the compiler turned into `require`, in order. */
export function emittedImports(file: ts.SourceFile): string[] {
  const specifiers: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [argument] = node.arguments;
      if (isEmittedRequire(node) && ts.isStringLiteralLike(argument))
        specifiers.push(argument.text);
      else node.arguments.forEach(visit);
    } else if (ts.isPropertyAccessExpression(node)) {
      visit(node.expression);
    }
  };
  for (const statement of file.statements) {
    if (ts.isExpressionStatement(statement)) visit(statement.expression);
    else if (ts.isVariableStatement(statement)) {
      for (const { initializer } of statement.declarationList.declarations) {
        if (initializer) visit(initializer);
      }
    }
  }
  return specifiers.filter((specifier) => specifier !== 'detsim/runtime');
}

/** A `require` that the source does not have itself has no position. */
function isEmittedRequire({ expression, arguments: args }: ts.CallExpression): boolean {
  return (
    ts.isIdentifier(expression) &&
    expression.text === 'require' &&
    expression.pos < 0 &&
    args.length === 1
  );
}
