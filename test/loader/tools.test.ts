/**
 * Tools that reach into Node's own loader (replaced handlers, `Module._load`, `require.cache`) work
 * on the modules of the overlay too.
 */

import { expect } from 'chai';
import Module from 'node:module';
import path from 'node:path';
import { Loader } from '../../runtime/loader/loader.js';
import { openOverlay, writeProject } from '../overlay/fixture.js';

interface Internals {
  _load: (...args: unknown[]) => unknown;
  _extensions: Record<string, (module: NodeModule, file: string) => void>;
}
const internals = Module as unknown as Internals;

/** A project with small tools that work as well-known ones do. */
const files = {
  'package.json': '{}',
  'tsconfig.json': '{ "compilerOptions": { "module": "commonjs", "moduleResolution": "bundler" } }',
  'src/dep.ts': `export const value = () => 'real';`,
  'src/subject.ts': `
    import { value } from './dep';
    import fs from 'fs';
    export const run = () => value() + ' ' + fs.existsSync('/none');`,
  // As proxyquire: the handlers of extensions are replaced for the time of one require.
  'node_modules/proxy-tool/index.js': `
    const Module = require('module');
    const parent = module.parent;
    delete require.cache[require.resolve(__filename)];
    module.exports = (request, stubs) => {
      const file = Module._resolveFilename(request, parent);
      const cached = Module._cache[file];
      delete Module._cache[file];
      const handlers = { ...Module._extensions };
      for (const extension of Object.keys(handlers)) {
        Module._extensions[extension] = (module, name) => {
          if (name === file) {
            const require = module.require;
            module.require = (one) => stubs[one] ?? Module._load(one, module);
          }
          return handlers[extension](module, name);
        };
      }
      try {
        return parent.require(file);
      } finally {
        Object.assign(Module._extensions, handlers);
        if (cached) Module._cache[file] = cached; else delete Module._cache[file];
      }
    };`,
  // As mock-require: the caller is found by the stack, and Module._load is replaced for good.
  'node_modules/mock-tool/index.js': `
    const Module = require('module');
    const path = require('path');
    const mocks = new Map();
    const load = Module._load;
    Module._load = function (request, parent) {
      if (parent && /^[.]/.test(request)) {
        const file = require.resolve(path.resolve(path.dirname(parent.filename), request));
        if (mocks.has(file)) return mocks.get(file);
      }
      return load.apply(this, arguments);
    };
    exports.mock = (request, value) => {
      const caller = new Error().stack.split('\\n')[2].replace(/^.*[(]|:.*$/g, '');
      mocks.set(require.resolve(path.resolve(path.dirname(caller), request)), value);
    };
    exports.stop = () => { mocks.clear(); Module._load = load; };`,
  'node_modules/plugins/index.js': 'exports.load = (file) => require(file);',
  'proxied.ts': `
    import proxy from 'proxy-tool';
    import { run } from './src/subject';
    const stubs = { './dep': { value: () => 'stub' }, fs: { existsSync: () => 'fake' } };
    const proxied = (proxy as any)('./src/subject', stubs);
    export const seen = [proxied.run(), run()];`,
  'mocked.ts': `
    const tool = require('mock-tool');
    tool.mock('./src/dep', { value: () => 'mock' });
    const mocked = require('./src/subject').run();
    delete require.cache[require.resolve('./src/subject')];
    tool.stop();
    delete require.cache[require.resolve('mock-tool')];
    export const seen = [mocked, require('./src/subject').run()];`,
  'plugin.ts': `
    const { load } = require('plugins');
    export const seen = [load(__dirname + '/src/dep') === require('./src/dep')];`,
  'replaced.ts': `
    const file = require.resolve('./src/dep');
    const before = require.cache[file];
    require.cache[file] = { exports: { value: () => 'from the cache' } } as any;
    export const seen = [before, require('./src/subject').run()];`,
  'later.ts': `export const load = () => require('./src/dep');`,
};

describe('loader: tools that reach into Node', () => {
  let root: string;
  let loader: Loader;

  before(() => {
    root = writeProject(files);
    loader = new Loader(openOverlay(root));
  });

  const seen = (name: string): unknown =>
    (loader.fresh().require(path.join(root, name)) as { seen: unknown }).seen;

  // Twice, since a trial must not see what the one before has left.
  for (const trial of ['first', 'second']) {
    it(`answers requires by replaced handlers, ${trial} trial`, () => {
      expect(seen('proxied.ts')).to.deep.equal(['stub fake', 'real false']);
    });

    it(`answers requires by a replaced Module._load, ${trial} trial`, () => {
      expect(seen('mocked.ts')).to.deep.equal(['mock false', 'real false']);
    });

    it(`gives a package the same module of the project, ${trial} trial`, () => {
      expect(seen('plugin.ts')).to.deep.equal([true]);
    });

    it(`takes what a test puts into require.cache, ${trial} trial`, () => {
      expect(seen('replaced.ts')).to.deep.equal([undefined, 'from the cache false']);
    });
  }

  it('is not affected by a compiler that was hooked in before', () => {
    const before = internals._extensions['.ts']!;
    internals._extensions['.ts'] = () => {
      throw new Error('compiled again');
    };
    try {
      expect(seen('plugin.ts')).to.deep.equal([true]);
    } finally {
      internals._extensions['.ts'] = before;
    }
  });

  it('leaves nothing in the cache for the next trial, and code of the last one its modules', () => {
    const dep = path.join(root, 'src/dep.ts');
    const first = loader.fresh();
    const later = first.require(path.join(root, 'later.ts')) as { load(): unknown };
    const ofFirst = first.require(dep);
    expect(require.cache[dep]).to.have.property('exports', ofFirst);
    const second = loader.fresh();
    expect(require.cache[dep]).to.equal(undefined);
    expect(second.require(dep)).to.not.equal(ofFirst);
    expect(later.load()).to.equal(ofFirst);
  });
});
