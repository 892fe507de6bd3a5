/**
 * ES modules under the loader: order of evaluation, resolution, import.meta, dynamic imports.
 */

import { expect } from 'chai';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Loader } from '../../runtime/loader/loader.js';
import { copyFixture, openOverlay } from '../overlay/fixture.js';

type Exports = Record<string, unknown>;

describe('loader: ES modules', () => {
  let root: string;
  let loader: Loader;
  let index: Exports;

  before(async () => {
    root = copyFixture('esm');
    loader = new Loader(openOverlay(root));
    index = (await loader.fresh().importFile(file('src/index.ts'))) as Exports;
  });

  const file = (name: string): string => path.join(root, name);

  it('evaluates imports first and in order, and lets others run while one waits', () => {
    expect(index['order']).to.deep.equal([
      'slow starts',
      'fast',
      'math',
      'extra',
      'plain',
      'slow ends',
      'index',
    ]);
    expect(index['slow']).to.equal('slow');
  });

  it('resolves aliases, #imports and its own name to one source', () => {
    expect(index['doubled']).to.equal(6);
    expect(index['same']).to.equal(true);
  });

  it('selects conditions by the format of the importer', () => {
    expect(index['env']).to.equal('import');
    expect(index['dualKind']).to.equal('import');
    expect(index['legacy']).to.deep.equal({
      env: 'require',
      dual: 'require',
      filename: file('src/legacy.cts'),
      hasModule: 'object',
    });
  });

  it('keeps import.meta at the original place', () => {
    expect(index['url']).to.equal(pathToFileURL(file('src/extra.mts')).href);
    expect(index['folder']).to.equal(file('src'));
    expect(index['name']).to.equal(file('src/index.ts'));
  });

  it('imports JavaScript, JSON and the sources of a referenced project', () => {
    expect(index['plain']).to.equal('javascript');
    expect(index['settings']).to.deep.equal({ name: 'settings', list: [1] });
    expect(index['kept']).to.equal('set by the base');
  });

  it('imports packages as Node does', () => {
    expect(index['esmKind']).to.equal('esm');
    expect(index['esmResult']).to.equal('esm only');
    expect(index['cjs']).to.deep.equal({ sum: 3, one: 1, marked: 'its default' });
  });

  it('imports dynamically', async () => {
    const lazy = (await (index['lazy'] as () => Promise<Exports>)()) as {
      default(n: number): number;
    };
    expect(lazy.default(4)).to.equal(8);
    const commonJs = await (index['lazyCommonJs'] as () => Promise<Exports>)();
    expect(commonJs['one']).to.equal(1);
    expect(commonJs['default']).to.have.property('one', 1);
  });

  it('names the await that keeps a module from being required', () => {
    expect(() => loader.fresh().require(file('src/index.ts')))
      .to.throw(/src\/index\.ts: .* \(src\/slow\.ts:4:29\); load it with import\(\)/)
      .with.property('code', 'ERR_REQUIRE_ASYNC_MODULE');
  });

  it('gives every registry modules of its own', async () => {
    const other = (await loader.fresh().importFile(file('src/index.ts'))) as Exports;
    expect(other['order']).to.deep.equal(index['order']);
    expect(other['order']).to.not.equal(index['order']);
    expect(other['settings']).to.not.equal(index['settings']);
  });
});
