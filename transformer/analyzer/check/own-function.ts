/**
 * Whether a call goes to a function of the program, by the signature that the checker has chosen
 * for the call already. Most calls of a program do, and to resolve their names once more would
 * cost more than all the rest of a check.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';

/**
 * Whether `callee` is what a call or construction calls, and that is a function or class of the
 * program by the same name. By another name it may be one of two:
 * `const later = setImmediate ?? defer`.
 */
export function callsOwnFunction(
  ts: TypeScript,
  checker: ts.TypeChecker,
  callee: ts.Expression,
): boolean {
  const name = ts.isIdentifier(callee)
    ? callee.text
    : ts.isPropertyAccessExpression(callee)
      ? callee.name.text
      : undefined;
  const call = callee.parent;
  if (name === undefined || !ts.isCallOrNewExpression(call) || call.expression !== callee) {
    return false;
  }
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (declaration === undefined || !hasBody(declaration)) return false;
  return nameOf(ts, declaration) === name && !declaration.getSourceFile().isDeclarationFile;
}

function hasBody(declaration: ts.SignatureDeclaration | ts.JSDocSignature): boolean {
  return 'body' in declaration && declaration.body !== undefined;
}

/** The name of a function, and of a constructor that of its class. */
function nameOf(
  ts: TypeScript,
  declaration: ts.SignatureDeclaration | ts.JSDocSignature,
): string | undefined {
  const { parent } = declaration;
  const isNamedByParent =
    ts.isConstructorDeclaration(declaration) ||
    ((ts.isArrowFunction(declaration) || ts.isFunctionExpression(declaration)) &&
      (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)));
  const { name } = (isNamedByParent ? parent : declaration) as ts.NamedDeclaration;
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))
    ? name.text
    : undefined;
}
