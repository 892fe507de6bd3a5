/**
 * `import x = require("y")` in an ES module: Node's own `require`, not an import.
 *
 * TypeScript makes `createRequire(import.meta.url)("y")` of it in ES modules, and a plain `require`
 * in CommonJS text, which in the loader stands for an import. This runs after TypeScript has
 * decided whether the name is used at all.
 */

import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/** The emitted file with `require("node:module").createRequire(url)("y")` in those places. */
export function rewriteImportEquals(
  factory: ts.NodeFactory,
  emitted: ts.SourceFile,
  file: string,
): ts.SourceFile {
  const source = ts.getOriginalNode(emitted, ts.isSourceFile);
  if (!source?.statements.some(ts.isImportEqualsDeclaration)) return emitted;
  const statements = emitted.statements.map((statement) => {
    const original = ts.getOriginalNode(statement);
    if (!ts.isImportEqualsDeclaration(original) || !ts.isVariableStatement(statement)) {
      return statement;
    }
    if (!ts.isExternalModuleReference(original.moduleReference)) return statement;
    const [declaration] = statement.declarationList.declarations;
    const load = declaration.initializer as ts.CallExpression;
    const call = factory.updateCallExpression(
      load,
      createRequire(factory, file),
      undefined,
      load.arguments,
    );
    const { name } = declaration;
    const updated = factory.updateVariableDeclaration(
      declaration,
      name,
      undefined,
      undefined,
      call,
    );
    return factory.updateVariableStatement(
      statement,
      statement.modifiers,
      factory.updateVariableDeclarationList(statement.declarationList, [updated]),
    );
  });
  return factory.updateSourceFile(emitted, statements);
}

function createRequire(factory: ts.NodeFactory, file: string): ts.Expression {
  const call = (callee: ts.Expression, text: string): ts.Expression =>
    factory.createCallExpression(callee, undefined, [factory.createStringLiteral(text)]);
  const module = call(factory.createIdentifier('require'), 'node:module');
  const create = factory.createPropertyAccessExpression(module, 'createRequire');
  return call(create, pathToFileURL(file).href);
}
