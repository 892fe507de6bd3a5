/**
 * Instrumented programs do what plain ones do: the same output, with the same order of microtasks,
 * over a set of compiler options. The programs touch every construct that is instrumented.
 */

import { expect } from 'chai';
import fs from 'node:fs';
import ts from 'typescript';
import { makeFolder, readPrograms, runPrograms, type Program, type Setting } from './programs.js';

const { ES2017, ES2018, ES2020, ES2022, ESNext } = ts.ScriptTarget;
const decorators = { tag: 'decorators', format: 'commonjs' } as const;
const legacy = { experimentalDecorators: true, emitDecoratorMetadata: true };
const fields = { tag: 'fields', format: 'commonjs' } as const;

const settings: Setting[] = [
  { name: 'commonjs es2017', format: 'commonjs', options: { target: ES2017 } },
  { name: 'commonjs es2022', format: 'commonjs', options: { target: ES2022 } },
  {
    name: 'commonjs es2018 without interop',
    format: 'commonjs',
    options: { target: ES2018, esModuleInterop: false, useDefineForClassFields: true },
  },
  { name: 'module es2022', format: 'module', options: { target: ES2022 } },
  {
    name: 'module esnext',
    format: 'module',
    options: { target: ESNext, verbatimModuleSyntax: true },
  },
  { ...decorators, name: 'standard decorators es2022', options: { target: ES2022 } },
  {
    ...decorators,
    name: 'standard decorators es2020',
    options: { target: ES2020, useDefineForClassFields: true },
  },
  {
    tag: 'legacyDecorators',
    format: 'commonjs',
    name: 'legacy decorators es2022',
    options: { target: ES2022, ...legacy },
  },
  {
    tag: 'legacyDecorators',
    format: 'module',
    name: 'legacy decorators es2017',
    options: { target: ES2017, ...legacy },
  },
  {
    ...fields,
    name: 'fields es2022 set',
    options: { target: ES2022, useDefineForClassFields: false },
  },
  { ...fields, name: 'fields es2017', options: { target: ES2017 } },
  { ...fields, name: 'fields esnext', options: { target: ESNext } },
  {
    ...fields,
    name: 'fields es2020 define',
    options: { target: ES2020, useDefineForClassFields: true },
  },
];

/** What Node 20 itself cannot run stays as it is under `esnext`. */
const notNative = ['await-using.ts', 'top-level-await.mts', 'top-level-using.mts'];

/** Programs with default imports of CommonJS packages. */
const usesDefaults = ['sinon-stubs.ts', 'shadowing.ts'];

/**
 * Lowered async generators have an order of microtasks of their own, which the overlay does not.
 */
const asyncGenerator = /for await|async \*|async function\*/;

function runsIn({ name, text, tag }: Program, setting: Setting): boolean {
  if (tag !== setting.tag) return false;
  if (name.endsWith('.mts') && setting.format === 'commonjs') return false;
  if (name.endsWith('.js') && setting.format === 'module') return false;
  if (setting.options.esModuleInterop === false && usesDefaults.includes(name)) return false;
  if (setting.options.target! < ES2018 && asyncGenerator.test(text)) return false;
  // Lowered optional calls are printed in another way.
  if (name === 'error-messages.ts' && setting.options.target! < ES2020) return false;
  return !(setting.options.target === ESNext && notNative.includes(name));
}

describe('transformer: instrumented programs behave as plain ones', function () {
  this.timeout(60_000);
  const programs = readPrograms();
  let folder: string;
  before(() => (folder = makeFolder()));
  after(() => fs.rmSync(folder, { recursive: true }));

  for (const setting of settings) {
    it(setting.name, () => {
      const chosen = programs.filter((program) => runsIn(program, setting));
      const outputs = runPrograms(folder, setting, chosen);
      for (const [name, { plain, transformed, overlay }] of outputs) {
        expect(plain, name).not.to.be.empty;
        expect(plain.at(-1), name).not.to.match(/^failed: /);
        if (!name.endsWith('.js')) expect(transformed, `${name}, transformed`).to.deep.equal(plain);
        expect(overlay, `${name}, overlay`).to.deep.equal(plain);
      }
    });
  }
});
