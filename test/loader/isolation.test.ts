/**
 * What is fresh in every trial, by level of isolation: packages that keep state and count how
 * often they are evaluated.
 */

import { expect } from 'chai';
import path from 'node:path';
import { Loader } from '../../runtime/loader/loader.js';
import { openOverlay, writeProject } from '../overlay/fixture.js';

/**
 * A project whose packages keep state, count how often they are evaluated, and require each other.
 */
function project(): string {
  return writeProject({
    'package.json': '{}',
    'main.js': `
      exports.counter = require('counter');
      exports.esm = require('esm');
      exports.addOn = require('uses');
      exports.data = require('counter/data.json');
      exports.mocha = require('mocha');
      exports.path = require('path');`,
    'main.mjs': `
      import counter, { next } from 'counter';
      import * as esm from 'esm';
      export { counter, next, esm };`,
    'node_modules/counter/index.js': `
      #!strict
      let count = 0;
      exports.next = () => ++count;
      exports.inner = require('./lib/inner');`
      .trim()
      .replace('#!strict', ''),
    'node_modules/counter/lib/inner.js': 'exports.list = []; exports.outer = require("..");',
    'node_modules/counter/data.json': '{ "n": 1 }',
    'node_modules/uses/index.js': `exports.counter = require('counter'); exports.esm = require('esm');`,
    'node_modules/esm/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/esm/index.js': 'export const list = [];',
    'node_modules/mocha/index.js': 'exports.state = {};',
  });
}

type Main = Record<string, Record<string, unknown>> & {
  counter: { next(): number; inner: { list: unknown[]; outer: unknown } };
  data: { n: number };
};

describe('loader: isolation', () => {
  it('leaves packages to Node, once a process, with isolate: modules', () => {
    const root = project();
    const loader = new Loader(openOverlay(root), { isolate: 'modules' });
    const one = loader.fresh().require(path.join(root, 'main.js')) as Main;
    const two = loader.fresh().require(path.join(root, 'main.js')) as Main;
    expect(one).to.not.equal(two);
    expect(one.counter).to.equal(two.counter);
    expect([one.counter.next(), two.counter.next()]).to.deep.equal([1, 2]);
  });

  it('evaluates CommonJS packages anew with isolate: all', () => {
    const root = project();
    const loader = new Loader(openOverlay(root), { isolate: 'all' });
    const one = loader.fresh().require(path.join(root, 'main.js')) as Main;
    const two = loader.fresh().require(path.join(root, 'main.js')) as Main;
    expect([one.counter.next(), two.counter.next()]).to.deep.equal([1, 1]);
    expect(one.addOn['counter']).to.equal(one.counter);
    expect(one.counter.inner.outer).to.equal(one.counter);
    expect(one.counter.inner.list).to.not.equal(two.counter.inner.list);
    one.data.n = 5;
    expect(two.data.n).to.equal(1);
  });

  it('keeps what cannot or must not be loaded twice', () => {
    const root = project();
    const loader = new Loader(openOverlay(root), { isolate: 'all' });
    const one = loader.fresh().require(path.join(root, 'main.js')) as Main;
    const two = loader.fresh().require(path.join(root, 'main.js')) as Main;
    expect(one['esm']!['list']).to.equal(two['esm']!['list']);
    expect(one.addOn['esm']).to.equal(one['esm']);
    expect(one['mocha']).to.equal(two['mocha']);
    expect(one['path']).to.equal(path);
  });

  it('does so for ES modules that import such packages', async () => {
    const root = project();
    const loader = new Loader(openOverlay(root), { isolate: 'all' });
    const load = async (): Promise<{ next(): number; esm: { list: unknown } }> =>
      (await loader.fresh().importFile(path.join(root, 'main.mjs'))) as never;
    const [one, two] = [await load(), await load()];
    expect([one.next(), two.next()]).to.deep.equal([1, 1]);
    expect(one.esm.list).to.equal(two.esm.list);
  });

  it('calls `outside` around its own work, and never around a module of the project', () => {
    const root = writeProject({
      'package.json': '{}',
      'main.js': 'globalThis.seen("main"); require("./a"); require("pkg");',
      'a.js': 'globalThis.seen("a");',
      'node_modules/pkg/index.js': 'globalThis.seen("pkg");',
    });
    let depth = 0;
    const seen: string[] = [];
    const globals = globalThis as { seen?: unknown };
    globals.seen = (name: string) => seen.push(`${name} ${depth > 0 ? 'outside' : 'inside'}`);
    const loader = new Loader(openOverlay(root), {
      outside: (work) => {
        depth++;
        try {
          return work();
        } finally {
          depth--;
        }
      },
    });
    loader.fresh().require(path.join(root, 'main.js'));
    delete globals.seen;
    expect(seen).to.deep.equal(['main inside', 'a inside', 'pkg outside']);
  });

  it('shows the running detsim to instrumented code, whatever is installed', () => {
    const root = writeProject({
      'package.json': '{}',
      'main.js': 'module.exports = [require("detsim/runtime"), require("detsim")];',
      'node_modules/detsim/index.js': 'module.exports = "another copy";',
    });
    const [runtime, api] = new Loader(openOverlay(root))
      .fresh()
      .require(path.join(root, 'main.js')) as unknown[];
    expect(runtime).to.have.property('enter');
    expect(api).to.not.equal('another copy');
  });
});
