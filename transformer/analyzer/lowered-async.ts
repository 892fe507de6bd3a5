/**
 * Async functions as compilers write them for older engines: packages are often published so.
 *
 * A generator is handed to a helper that runs it, and a `yield` in it is an await:
 *
 *     __awaiter(this, void 0, void 0, function* () { yield request(); })
 *
 * For engines without generators, TypeScript writes a function of steps in its place, which returns
 * `[4, request()]` to await and `[2, value]` to return. The helpers themselves add no yield points.
 */

import type ts from 'typescript';
import { skipOuter } from './outer-expressions.js';
import type { TypeScript } from './sites.js';

/** Which argument of the helper is the generator: of TypeScript, esbuild, SWC and Babel. */
const RUNNERS: Readonly<Record<string, number>> = {
  __awaiter: 3,
  __async: 2,
  _async_to_generator: 0,
  _asyncToGenerator: 0,
};

const STEPPER = '__generator';
/** Helpers of the helpers. */
const INNER = new Set([STEPPER, 'asyncGeneratorStep']);

/** What the first element of a step says. */
const RETURN = '2';
const AWAIT = '4';

/**
 * The generator that stands for the body of an async function, if the call runs one; or the
 * function around its steps.
 */
export function bodyRunBy(
  ts: TypeScript,
  call: ts.CallExpression,
): ts.FunctionExpression | undefined {
  const name = helperName(ts, call.expression);
  const index = name === undefined ? undefined : RUNNERS[name];
  const found = index === undefined ? undefined : call.arguments[index];
  return found !== undefined && ts.isFunctionExpression(found) ? found : undefined;
}

/** The function of steps that stands for the body of an async function, if the call runs one. */
export function stepsRunBy(
  ts: TypeScript,
  call: ts.CallExpression,
): ts.FunctionExpression | undefined {
  const found = call.arguments[1] as ts.Expression | undefined;
  if (found === undefined || helperName(ts, call.expression) !== STEPPER) return undefined;
  return ts.isFunctionExpression(found) && found.parameters.length === 1 ? found : undefined;
}

/** What a statement of such a function awaits or returns; undefined when it does neither. */
export function stepOf(
  ts: TypeScript,
  { expression }: ts.ReturnStatement,
): { readonly how: 'suspend' | 'leave'; readonly operand: ts.Expression } | undefined {
  if (expression === undefined || !ts.isArrayLiteralExpression(expression)) return undefined;
  const [code, operand] = expression.elements;
  if (expression.elements.length !== 2 || !ts.isNumericLiteral(code)) return undefined;
  if (code.text === AWAIT) return { how: 'suspend', operand };
  return code.text === RETURN ? { how: 'leave', operand } : undefined;
}

/** Whether a node declares such a helper. */
export function declaresHelper(ts: TypeScript, node: ts.Node): boolean {
  if (!ts.isVariableDeclaration(node) && !ts.isFunctionDeclaration(node)) return false;
  if (node.name === undefined || !ts.isIdentifier(node.name)) return false;
  return Object.hasOwn(RUNNERS, node.name.text) || INNER.has(node.name.text);
}

/** `__awaiter`, also as `tslib_1.__awaiter` or `(0, tslib_1.__awaiter)`. */
function helperName(ts: TypeScript, callee: ts.Expression): string | undefined {
  let node = skipOuter(ts, callee);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CommaToken) {
    node = node.right;
  }
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.name)) return undefined;
  if (node.name.text !== 'default') return node.name.text;
  // Babel's helper as a module: `_asyncToGenerator2.default`.
  return ts.isIdentifier(node.expression) ? node.expression.text.replace(/\d+$/, '') : undefined;
}
