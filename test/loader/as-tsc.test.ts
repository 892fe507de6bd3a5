/**
 * TypeScript programs built by tsc with the project's own options and run by Node log the same as
 * under the loader.
 */

import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { Loader } from '../../runtime/loader/loader.js';
import { openOverlay, writeProject } from '../overlay/fixture.js';

const files: Record<string, string> = {
  'src/main.ts': `
    import whole, { named } from './esm';
    import * as esm from './esm';
    import marked from 'marked';
    import * as plainNamespace from 'plain';
    import { value } from 'plain';
    import fs from 'node:fs';
    import * as path from 'node:path';
    import type { Shape } from './types';
    import './effect';
    export { renamed as again } from './reexports';
    declare const log: (...values: unknown[]) => void;
    const shape: Shape = { size: 1 };
    log(whole(), named, Object.keys(esm).sort());
    log(typeof marked, JSON.stringify(marked), value, typeof plainNamespace, plainNamespace.value);
    log(typeof fs.readFileSync, path.basename('/a/b'), shape);
    log(typeof fs.default, plainNamespace.default && Object.keys(plainNamespace.default));
    class Later { static counter = 0; field = ++Later.counter; }
    new Later();
    export let live = 1;
    live += 1;
    log(live, Later.counter, this === undefined);
    export const done = (async () => {
      const lazy = await import('./esm');
      log(lazy.named, typeof lazy.default, lazy.named === esm.named);
      const plain = await import('plain');
      log(Object.keys(plain).filter((key) => key !== 'module.exports').sort(), plain.value);
      const again = await import('marked');
      log(Object.keys(again).filter((key) => key !== 'module.exports').sort(), JSON.stringify(again.default));
      const computed = await import(['./', 'effect', EXTENSION].join(''));
      log(computed.effects);
    })();`,
  'src/esm.ts': `
    import { effects } from './effect';
    effects.push('esm');
    export default function whole() { return helper(); }
    export const named = { n: 1 };
    function helper() { return 'helped'; }
    export enum Color { Red, Green }
    export namespace Space { export const inner = 1; }`,
  'src/effect.ts': `export const effects: string[] = ['effect'];`,
  'src/types.ts': `throw new Error('types are not loaded'); export interface Shape { size: number }`,
  'src/reexports.ts': `export { named as renamed } from './esm'; export * from './effect'; export * as all from './effect';`,
  'node_modules/marked/package.json': '{}',
  'node_modules/marked/index.js': `
    Object.defineProperty(exports, '__esModule', { value: true });
    exports.default = 'its default';
    exports.other = 1;`,
  'node_modules/plain/package.json': '{}',
  'node_modules/plain/index.js': `exports.value = 'plain';`,
};

interface Variant {
  readonly options: Record<string, unknown>;
  readonly type: 'module' | 'commonjs';
}

const variants: Record<string, Variant> = {
  'module commonjs': {
    options: { module: 'commonjs', moduleResolution: 'bundler' },
    type: 'commonjs',
  },
  'module commonjs without interop': {
    options: {
      module: 'commonjs',
      moduleResolution: 'bundler',
      esModuleInterop: false,
      ignoreDeprecations: '6.0',
    },
    type: 'commonjs',
  },
  'nodenext, CommonJS': { options: { module: 'nodenext' }, type: 'commonjs' },
  'nodenext, ES modules': { options: { module: 'nodenext' }, type: 'module' },
  'nodenext, ES modules, verbatim': {
    options: { module: 'nodenext', verbatimModuleSyntax: true },
    type: 'module',
  },
  esnext: { options: { module: 'esnext', moduleResolution: 'bundler' }, type: 'module' },
  'down-levelled classes': {
    options: { module: 'nodenext', target: 'es2015', useDefineForClassFields: false },
    type: 'commonjs',
  },
};

/** The sources with what the format asks of them. */
function sourcesFor({ options, type }: Variant): Record<string, string> {
  const extension = type === 'module' || options['module'] === 'nodenext' ? '.js' : '';
  const entries = Object.entries(files).map(([name, text]) => {
    if (!name.startsWith('src/')) return [name, text];
    const withExtensions = text.replace(/from '(\.\/\w+)'|import(\(?) ?'(\.\/\w+)'/g, (found) =>
      found.replace(/'$/, `${extension}'`),
    );
    const lessDefaults = withExtensions.replaceAll('EXTENSION', JSON.stringify(extension));
    // Without interop a default import of these is undefined, and the program would not run.
    return [
      name,
      options['esModuleInterop'] === false
        ? lessDefaults.replace("import fs from 'node:fs'", "import * as fs from 'node:fs'")
        : lessDefaults,
    ];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function build(root: string): void {
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(root, 'tsconfig.json'),
    { noCheck: true, noLib: true, outDir: path.join(root, 'built'), types: [] },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )!;
  ts.createProgram(config.fileNames, config.options).emit();
}

function logOfBuilt(root: string): unknown {
  const runner = path.join(root, 'built/runner.mjs');
  fs.writeFileSync(
    runner,
    `const lines = [];
     globalThis.log = (...values) => lines.push(values);
     const main = await import('./main.js');
     await (main.done ?? main.default.done);
     process.stdout.write(JSON.stringify(lines));`,
  );
  const output = execFileSync(process.execPath, ['--no-warnings', runner], { encoding: 'utf8' });
  return JSON.parse(output);
}

async function logOfLoader(root: string): Promise<unknown> {
  const lines: unknown[] = [];
  const globals = globalThis as { log?: unknown };
  globals.log = (...values: unknown[]) => lines.push(values);
  try {
    const registry = new Loader(openOverlay(root)).fresh();
    const file = path.join(root, 'src/main.ts');
    const main = registry.isEsModule(file)
      ? await registry.importFile(file)
      : registry.require(file);
    await (main as { done: Promise<void> }).done;
  } finally {
    delete globals.log;
  }
  return JSON.parse(JSON.stringify(lines));
}

describe('loader: the same as what tsc builds', () => {
  for (const [title, variant] of Object.entries(variants)) {
    it(title, async () => {
      const root = writeProject({
        ...sourcesFor(variant),
        'package.json': JSON.stringify({ name: 'program', type: variant.type }),
        'tsconfig.json': JSON.stringify({
          compilerOptions: { target: 'es2022', strict: true, rootDir: 'src', ...variant.options },
          include: ['src'],
        }),
      });
      build(root);
      expect(await logOfLoader(root)).to.deep.equal(logOfBuilt(root));
    }).timeout(30_000);
  }
});
