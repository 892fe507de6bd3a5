/**
 * Specs in every module format, run as mocha would load them.
 */

import { expect } from 'chai';
import path from 'node:path';
import { mochaProject, runnerOf, runSpec, statesOf, trial } from './project.js';

describe('mocha: module formats', function () {
  this.timeout(20_000);

  it('runs a spec that is an ES module, again and again', async () => {
    const root = mochaProject({
      'package.json': '{ "type": "module" }',
      'state.ts': 'export let n = 0; export const next = () => ++n;',
      'a.spec.ts': `
        import { expect } from 'chai';
        import { describe, it } from 'mocha';
        import { n, next } from './state.js';
        const order: string[] = [];
        process.nextTick(() => order.push('tick'));
        Promise.resolve().then(() => order.push('microtask'));
        declare const process: any;
        describe('es module', () => {
          it('has live bindings and fresh state', async () => {
            expect(next()).to.equal(1);
            expect(n).to.equal(1);
            expect(import.meta.url).to.match(/a\\.spec\\.ts$/);
            const again = await import('./state.js');
            expect(again.n).to.equal(1);
          });
          it('was evaluated in a promise job', () => {
            expect(order).to.deep.equal(['microtask', 'tick']);
          });
        });`,
    });
    const runner = runnerOf(root);
    for (let i = 0; i < 3; i++) {
      const result = await trial(runner, path.join(root, 'a.spec.ts'));
      expect(statesOf(result)).to.deep.equal([
        'es module has live bindings and fresh state: passed',
        'es module was evaluated in a promise job: passed',
      ]);
    }
  });

  it('waits for top-level await, in virtual time', async () => {
    const result = await runSpec(
      `const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
       await sleep(10_000);
       describe('later', () => { it('is there', () => {}); });`,
      { 'package.json': '{ "type": "module" }' },
    );
    expect(statesOf(result)).to.deep.equal(['later is there: passed']);
    expect(result.virtualNs).to.equal(10e9);
  });

  it('runs plain JavaScript, and files that say their format by extension', async () => {
    const root = mochaProject({
      'tsconfig.json':
        '{ "compilerOptions": { "allowJs": true, "module": "node20", "target": "es2022" } }',
      'a.spec.js': `const ok = require('node:assert'); it('js', async () => { ok(await true); });`,
      'b.spec.mjs': `import ok from 'node:assert'; it('mjs', async () => { ok(await true); });`,
      'c.spec.cts': `import ok = require('assert'); it('cts', async () => { ok(await true); });`,
      'd.spec.mts': `import ok from 'node:assert'; it('mts', async () => { ok(await true); });`,
    });
    const runner = runnerOf(root);
    for (const [name, title] of [
      ['a.spec.js', 'js'],
      ['b.spec.mjs', 'mjs'],
      ['c.spec.cts', 'cts'],
      ['d.spec.mts', 'mts'],
    ]) {
      const result = await trial(runner, path.join(root, name));
      expect(statesOf(result), name).to.deep.equal([`${title}: passed`]);
      expect(result.choices, name).to.be.greaterThan(0);
    }
  });

  it('gives packages fresh state with isolate all only', async () => {
    const files = {
      'node_modules/counting/package.json': '{ "name": "counting" }',
      'node_modules/counting/index.js': 'let n = 0; exports.next = () => ++n;',
      'counting.d.ts': `declare module 'counting' { export const next: () => number; }`,
      'a.spec.ts': `import { next } from 'counting'; it('n', () => { console.log(next()); });`,
    };
    for (const [isolate, expected] of [
      ['modules', ['1\n', '2\n']],
      ['all', ['1\n', '1\n']],
    ] as const) {
      const root = mochaProject(files);
      const runner = runnerOf(root, { isolate });
      const outputs = [];
      for (let i = 0; i < 2; i++) {
        outputs.push((await trial(runner, path.join(root, 'a.spec.ts'))).output);
      }
      expect(outputs, isolate).to.deep.equal(expected);
    }
  });
});
