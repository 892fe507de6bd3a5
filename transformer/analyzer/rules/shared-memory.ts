/** DS1013: memory that another thread writes to. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';

export const sharedMemory: Rule = {
  code: 'DS1013',
  name: 'shared-memory',
  severity: 'error',
  summary: 'A `SharedArrayBuffer` that is given to a thread',
  flagged:
    'A `SharedArrayBuffer`, or a typed array over one, in the arguments of `postMessage` or of ' +
    '`new Worker`. To use one within a single thread is fine.',
  why:
    'The other thread writes to it in real time, between any two steps of this one, and nothing ' +
    'marks the place where a value has changed.',
  instead: 'Send copies as messages, and give the test a stand-in for the thread.',
  example: {
    bad: `import { Worker } from 'node:worker_threads';

// detsim-ignore-next-line DS1004: this example is about the memory
export const worker = new Worker('./count.js', { workerData: new SharedArrayBuffer(8) });`,
    good: `export interface Counter {
  add(values: readonly number[]): Promise<number>;
}`,
  },
  listeners: (ts) => {
    const visit = (node: ts.CallExpression | ts.NewExpression, context: RuleContext): void => {
      const name = context.names.of(node.expression) ?? '';
      const gives = ts.isNewExpression(node)
        ? /(?:^|\.)Worker$/.test(name)
        : /(?:^|\.)postMessage$/.test(name);
      if (!gives) return;
      for (const argument of node.arguments ?? []) visitValue(argument, context);
    };
    return [
      on<ts.CallExpression>(ts.SyntaxKind.CallExpression, visit),
      on<ts.NewExpression>(ts.SyntaxKind.NewExpression, visit),
    ];
  },
};

function visitValue(node: ts.Expression, context: RuleContext): void {
  const { ts, checker, report } = context;
  const value = skipOuter(ts, node);
  if (ts.isObjectLiteralExpression(value)) {
    for (const property of value.properties) {
      if (ts.isPropertyAssignment(property)) visitValue(property.initializer, context);
      if (ts.isShorthandPropertyAssignment(property)) visitValue(property.name, context);
    }
    return;
  }
  if (ts.isArrayLiteralExpression(value)) {
    for (const element of value.elements) visitValue(element, context);
    return;
  }
  if (!isShared(checker.getTypeAtLocation(value), context)) return;
  report(
    value,
    'A `SharedArrayBuffer` that another thread writes to changes in real time: ' +
      'send copies as messages instead.',
  );
}

function isShared(type: ts.Type, { types, checker, ts }: RuleContext): boolean {
  if (type.isUnion()) return false;
  if (types.inherits(type, 'SharedArrayBuffer')) return true;
  const isReference =
    ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0 && !type.isUnion();
  if (!isReference) return false;
  return checker
    .getTypeArguments(type as ts.TypeReference)
    .some((one) => !one.isUnion() && types.inherits(one, 'SharedArrayBuffer'));
}
