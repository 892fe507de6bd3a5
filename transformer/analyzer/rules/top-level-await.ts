/** DS1012: top-level await where no loader can wait for it. */

import type ts from 'typescript';
import { onRequest } from '../check/requests.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';
import { findInside } from '../check/syntax.js';
import { hasTopLevelAwait } from '../top-level-await.js';

export const topLevelAwait: Rule = {
  code: 'DS1012',
  name: 'top-level-await',
  severity: 'error',
  summary: 'Top-level await where no loader can wait for it',
  flagged:
    'A synchronous request (`require`, `import x = require()`) of a module with top-level await; ' +
    'top-level await in a package of node_modules, and in a file that is CommonJS. In the ES modules ' +
    'of the project it is fine.',
  why:
    'The overlay runs such a module as an async function, and `require` cannot wait for one; neither ' +
    'can Node. A package with top-level await needs Node’s own `import()`, which goes through the ' +
    'real event loop.',
  instead: 'Load the module by `import`, or export an async function and await that.',
  example: {
    bad: `import connection = require('./support/awaits-at-top-level.mjs');

export const value = connection.value;`,
    good: `import { setTimeout } from 'node:timers/promises';

export async function connect(): Promise<number> {
  return await setTimeout(1, 7);
}`,
  },
  listeners: (ts) => [
    ...onRequest(ts, ({ node, specifier, synchronous }, context) => {
      if (!synchronous) return;
      const module = context.checker.getSymbolAtLocation(specifier)?.valueDeclaration;
      if (module === undefined || !ts.isSourceFile(module)) return;
      if (module.isDeclarationFile || !hasTopLevelAwait(ts, module)) return;
      context.report(
        node,
        `"${specifier.text}" awaits at its top level, and a synchronous request cannot wait for ` +
          'that: load it by `import`, or export an async function.',
      );
    }),
    on<ts.SourceFile>(ts.SyntaxKind.SourceFile, (file, context) => {
      const isPackage = file.fileName.includes('/node_modules/');
      if (!isPackage && !isCommonJs(file, context)) return;
      if (!file.text.includes('await') || !hasTopLevelAwait(ts, file)) return;
      const first = file.statements
        .map((one) => findInside(ts, one, (inner) => ts.isAwaitExpression(inner)))
        .find((one) => one !== undefined);
      context.report(
        first ?? file,
        isPackage
          ? 'A package with top-level await needs Node’s own `import()`, which a simulation ' +
              'cannot drive: give the test a stand-in for it.'
          : 'This file is a CommonJS module, which cannot await at its top level: ' +
              'put the await into an async function, or make the file an ES module.',
      );
    }),
  ],
};

function isCommonJs(file: ts.SourceFile, { ts, program }: RuleContext): boolean {
  const { module } = program.getCompilerOptions();
  return (file.impliedNodeFormat ?? module) === ts.ModuleKind.CommonJS;
}
