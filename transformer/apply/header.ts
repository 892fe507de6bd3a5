/** The statements at the head of an instrumented file: the runtime and the table of its sites. */

import type ts from 'typescript';
import { effectsText } from '../analyzer/effects/segment.js';
import type { Site, TypeScript } from '../analyzer/index.js';
import type { Hooks } from './hooks.js';

/** What the runtime is told of a file. */
export interface FileHeader {
  /** Root-relative path with forward slashes; part of every site. */
  readonly path: string;
  /** Whether promises and timers made in the file stand in for I/O. */
  readonly stub: boolean;
  /** The format of the emitted text. */
  readonly format: 'commonjs' | 'module';
}

const RUNTIME = 'detsim/runtime';

/** `const $d = require("detsim/runtime"); const $s = $d.file(path, sites);` */
export function headerStatements(
  ts: TypeScript,
  factory: ts.NodeFactory,
  hooks: Hooks,
  header: FileHeader,
  sites: readonly Site[],
): ts.Statement[] {
  const args = [factory.createStringLiteral(header.path), siteTable(factory, sites)];
  const file = hooks.runtime('file', header.stub ? [...args, factory.createTrue()] : args);
  const { runtime, sites: base } = hooks.names;
  if (header.format === 'commonjs') {
    const require = factory.createCallExpression(factory.createIdentifier('require'), undefined, [
      factory.createStringLiteral(RUNTIME),
    ]);
    return [hooks.constant(runtime, require), hooks.constant(base, file)];
  }
  const namespace = factory.createNamespaceImport(factory.createIdentifier(runtime));
  const load = factory.createImportDeclaration(
    undefined,
    factory.createImportClause(false, undefined, namespace),
    factory.createStringLiteral(RUNTIME),
  );
  // In a cycle of modules, functions can be called before this statement is: `var` is undefined
  // then, where `const` would throw.
  return [load, hooks.variable(ts.NodeFlags.None, base, file)];
}

function siteTable(factory: ts.NodeFactory, sites: readonly Site[]): ts.Expression {
  const rows = sites.map(({ kind, line, column, fn, text, effects }) =>
    factory.createArrayLiteralExpression([
      factory.createStringLiteral(kind),
      factory.createNumericLiteral(line),
      factory.createNumericLiteral(column),
      factory.createStringLiteral(fn),
      factory.createStringLiteral(text),
      ...(effects === undefined ? [] : [factory.createStringLiteral(effectsText(effects))]),
    ]),
  );
  return factory.createArrayLiteralExpression(rows);
}
