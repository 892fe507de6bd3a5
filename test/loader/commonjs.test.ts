/**
 * CommonJS modules under the loader: their registry, their cycles, and positions in their errors.
 */

import { expect } from 'chai';
import path from 'node:path';
import { Loader } from '../../runtime/loader/loader.js';
import { copyFixture, openOverlay } from '../overlay/fixture.js';

type Exports = Record<string, (...args: unknown[]) => unknown>;

describe('loader: CommonJS', () => {
  let root: string;
  let loader: Loader;

  before(() => {
    root = copyFixture('commonjs');
    loader = new Loader(openOverlay(root));
  });

  const file = (name: string): string => path.join(root, name);

  it('gives every registry modules of its own', () => {
    const one = loader.fresh();
    const twice = one.require(file('src/twice.ts')) as Exports;
    expect(twice['twice']!()).to.equal(2);
    expect(twice['twice']!()).to.equal(4);
    expect(one.require(file('src/twice.ts'))).to.equal(twice);

    const other = loader.fresh().require(file('src/twice.ts')) as Exports;
    expect(other['twice']!()).to.equal(2);
  });

  it('gives every registry a fresh value of a JSON file', () => {
    const first = loader.fresh().require(file('src/twice.ts')) as Exports;
    first['twice']!();
    expect(first['calls']!()).to.equal(1);
    const second = loader.fresh().require(file('src/twice.ts')) as Exports;
    expect(second['calls']!()).to.equal(0);
  });

  it('evaluates cycles as Node does', () => {
    const registry = loader.fresh();
    const even = registry.require(file('src/even.ts')) as Exports;
    const odd = registry.require(file('src/odd.ts')) as Record<string, unknown>;
    expect(even['isEven']!(10)).to.equal(true);
    expect(odd['seenEarly']).to.equal(undefined);
  });

  it('reports positions in the overlay file', () => {
    const overlay = loader.overlay;
    const throws = loader.fresh().require(file('src/throws.ts')) as Exports;
    const { codeFile } = overlay.get(file('src/throws.ts'));
    expect(throws['fail']).to.throw('on purpose');
    try {
      throws['fail']!();
    } catch (error) {
      expect((error as Error).stack).to.include(codeFile);
    }
  });
});
