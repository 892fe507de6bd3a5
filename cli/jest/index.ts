/**
 * `detsim/jest`, for two options of jest's configuration.
 *
 *     module.exports = { testRunner: 'detsim/jest', transform: { '\\.[jt]sx?$': 'detsim/jest' } };
 *
 * As `testRunner` it is jest-circus, unless DETSIM_SEED or DETSIM_REPLAY is set: then jest shows a
 * replay. As a transformer, which is optional, it gives the project's modules yield points for
 * `simulate`. Both are one module, since jest takes a path for each.
 */

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import type ts from 'typescript';
import { isReplay } from '../register/replay-file.js';
import type { GlobalConfig, ProjectConfig } from './result.js';

type Circus = (
  global: GlobalConfig,
  config: ProjectConfig,
  environment: unknown,
  runtime: unknown,
  file: string,
  ...rest: unknown[]
) => Promise<unknown>;

const testRunner: Circus = async (global, config, environment, runtime, file, ...rest) => {
  if (!isReplay(process.env)) {
    return circusOf(config.rootDir)(global, config, environment, runtime, file, ...rest);
  }
  const { replayResult } = require('./result.js') as typeof import('./result.js');
  return replayResult(global, config, file);
};

function circusOf(root: string): Circus {
  let require = createRequire(path.join(root, 'package.json'));
  for (const name of ['jest', '@jest/core', 'jest-config']) {
    try {
      require = createRequire(require.resolve(`${name}/package.json`));
    } catch {
      // Hoisted: what comes next is found from where we are.
    }
  }
  const found = require('jest-circus/runner') as Circus | { default: Circus };
  return typeof found === 'function' ? found : found.default;
}

interface TransformOptions {
  readonly config: ProjectConfig;
  readonly supportsStaticESM?: boolean;
}

function transform(
  text: string,
  file: string,
  { config, supportsStaticESM = false }: TransformOptions,
): { code: string; map: string } {
  const { transpile } =
    require('../../transformer/transpile.js') as typeof import('../../transformer/transpile.js');
  const format = supportsStaticESM ? 'module' : 'commonjs';
  return transpile({ file, text, root: config.rootDir, format, then: hoistMocks });
}

/** Calls of `jest.mock` and its like come before the imports, as babel-plugin-jest-hoist has it. */
const hoistMocks: ts.TransformerFactory<ts.SourceFile> =
  ({ factory }) =>
  (source) => {
    const ts = require('typescript') as typeof import('typescript');
    const hoisted = (statement: ts.Statement): boolean =>
      ts.isExpressionStatement(statement) &&
      /^jest\s*\.\s*(?:mock|unmock|deepUnmock|enableAutomock|disableAutomock)\b/.test(
        statement.getSourceFile() === undefined ? '' : statement.getText(),
      );
    const { statements } = source;
    const first = statements.filter(hoisted);
    if (first.length === 0) return source;
    const others = statements.filter((one) => !first.includes(one));
    return factory.updateSourceFile(source, [...first, ...others]);
  };

/** Everything that the code depends on. */
function getCacheKey(text: string, file: string, { config }: TransformOptions): string {
  const { version } = require('../../../package.json') as { version: string };
  const parts = [version, file, config.rootDir, text];
  return createHash('sha1').update(parts.join('\0')).digest('hex');
}

module.exports = Object.assign(testRunner, { process: transform, getCacheKey });
