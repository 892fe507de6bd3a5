/**
 * Runs the TypeScript that pages of docs/ show, each block as a module of
 * its own: what it prints must be what the comments behind `console.log` say.
 */

import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { expect } from 'chai';
import ts from 'typescript';
import * as detsim from '../../index.js';

const docs = path.join(__dirname, '..', '..', '..', 'docs');

function blocksOf(page: string): string[] {
  const text = fs.readFileSync(path.join(docs, page), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!);
}

/** Runs a block in a macrotask, and gives the lines that it prints. */
function printed(code: string): Promise<string[]> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const run = vm.compileFunction(outputText, ['exports', 'require', 'console']);
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      const lines: string[] = [];
      const log = (...values: unknown[]): void => void lines.push(values.map(String).join(' '));
      try {
        run({}, () => detsim, { log });
        resolve(lines);
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

for (const page of ['faults.md', 'primitives.md', 'scenarios.md']) {
  describe(`docs/${page}`, () => {
    blocksOf(page).forEach((code, i) => {
      it(`block ${i + 1} does what it says`, async () => {
        const said = [...code.matchAll(/console\.log\(.*\/\/ (.+)$/gm)].map(([, line]) => line);
        expect(said).to.not.be.empty;
        expect(await printed(code)).to.deep.equal(said);
      }).timeout(10_000);
    });
  });
}
