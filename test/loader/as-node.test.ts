/**
 * Small programs of several modules: what they log under Node, and how their import ends, must be
 * what they log under the loader. Every program logs through the global `log`.
 */

import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Loader } from '../../runtime/loader/loader.js';
import { openOverlay, writeProject } from '../overlay/fixture.js';

const programs: Record<string, Record<string, string>> = {
  'post-order and siblings': {
    'main.mjs': `import './a.mjs'; import './b.mjs'; import './a.mjs'; log('main');`,
    'a.mjs': `import './c.mjs'; log('a');`,
    'b.mjs': `import './c.mjs'; log('b');`,
    'c.mjs': `log('c');`,
  },
  'imports come first wherever they stand': {
    'main.mjs': `log('main'); import './a.mjs'; export * from './b.mjs';`,
    'a.mjs': `log('a');`,
    'b.mjs': `log('b'); export const b = 1;`,
  },
  'a cycle': {
    'main.mjs': `import { b } from './b.mjs'; export function f() { return 'f'; } log('main', b);`,
    'b.mjs': `import { f } from './main.mjs'; export const b = f() + '!'; log('b');`,
  },
  'a longer cycle': {
    'main.mjs': `import './a.mjs'; export function f() { return 'f'; } export let n = 1; log('main');`,
    'a.mjs': `import { b } from './b.mjs'; import { f } from './main.mjs'; export const a = f(); log('a', b());`,
    'b.mjs': `import './c.mjs'; import { a } from './a.mjs'; export function b() { return typeof a; } log('b');`,
    'c.mjs': `import { b } from './b.mjs'; import * as main from './main.mjs'; log('c', typeof b, typeof main.f);`,
  },
  'top-level await: siblings go on, importers wait': {
    'main.mjs': `import './slow.mjs'; import './quick.mjs'; import './parent.mjs'; log('main');`,
    'slow.mjs': `log('slow 1'); await null; await null; log('slow 2');`,
    'quick.mjs': `log('quick 1'); await null; log('quick 2');`,
    'parent.mjs': `import './slow.mjs'; import './sync.mjs'; log('parent');`,
    'sync.mjs': `log('sync');`,
  },
  'top-level await in a cycle': {
    'main.mjs': `import './a.mjs'; log('main');`,
    'a.mjs': `import './b.mjs'; log('a 1'); await null; log('a 2');`,
    'b.mjs': `import './c.mjs'; import './a.mjs'; log('b 1'); await null; log('b 2');`,
    'c.mjs': `log('c'); await null; log('c 2');`,
  },
  'several parents of one asynchronous module': {
    'main.mjs': `import './p.mjs'; import './q.mjs'; import './r.mjs'; log('main');`,
    'p.mjs': `import './slow.mjs'; log('p'); await null; log('p 2');`,
    'q.mjs': `import './p.mjs'; import './slow.mjs'; log('q');`,
    'r.mjs': `import './slow.mjs'; log('r');`,
    'slow.mjs': `await null; log('slow');`,
  },
  'a failure in an awaiting module': {
    'main.mjs': `import './a.mjs'; import './b.mjs'; log('never');`,
    'a.mjs': `await null; log('a'); throw new Error('a failed');`,
    'b.mjs': `await null; await null; log('b');`,
  },
  'a failure is remembered': {
    'main.mjs': `
      for (const i of [1, 2]) await import('./bad.mjs').catch((e) => log(i, e.message));
      try { (await import('./bad.cjs')); } catch (e) { log(e.message); }
      try { (await import('./bad.cjs')); } catch (e) { log(e.message); }`,
    'bad.mjs': `log('bad runs'); throw new Error('bad');`,
    'bad.cjs': `log('bad.cjs runs'); throw new Error('bad.cjs');`,
  },
  'a microtask runs before a tick in an ES module, after it in CommonJS': {
    'main.mjs': `
      process.nextTick(() => log('tick'));
      Promise.resolve().then(() => log('microtask'));
      await new Promise((done) => setTimeout(done, 1));`,
  },
  'CommonJS seen from an ES module': {
    'main.mjs': `
      import whole, { named, later } from './c.cjs';
      import * as ns from './c.cjs';
      import fromMarked from './marked.cjs';
      import nothing from './null.cjs';
      import fs, { readFileSync } from 'node:fs';
      log(typeof whole, named, later, ns.default === whole, fromMarked, nothing);
      log(readFileSync === fs.readFileSync);`,
    'c.cjs': `exports.named = 'named'; exports.later = 1; exports.later = 2; log(typeof module, this === exports);`,
    'marked.cjs': `exports.__esModule = true; exports.default = 'default';`,
    'null.cjs': `module.exports = null;`,
  },
  'an ES module seen from CommonJS': {
    'main.cjs': `
      const ns = require('./m.mjs');
      log(ns.default, ns.a, Object.keys(ns).includes('a'));
      module.exports = (async () => {
        const same = await import('./m.mjs');
        log(same.a === ns.a, same.default, Object.keys((await import('./c.cjs')).default));
      })();`,
    'm.mjs': `log('m'); export default 'd'; export const a = {};`,
    'c.cjs': `exports.x = 1;`,
  },
  'require of a module that awaits': {
    'main.cjs': `
      try { require('./waits.mjs'); } catch (e) { log(e.code); }
      module.exports = import('./waits.mjs').then((ns) => log(ns.a));`,
    'waits.mjs': `export const a = await 1; log('runs');`,
  },
  'a package that awaits': {
    'main.mjs': `import './early.mjs'; import './parent.mjs'; import './late.mjs'; log('main');`,
    'early.mjs': `log('early');`,
    'parent.mjs': `import './early.mjs'; import { waited } from 'waits'; log('parent', waited);`,
    'late.mjs': `log('late');`,
    'node_modules/waits/package.json': `{ "type": "module", "exports": "./index.js" }`,
    'node_modules/waits/index.js': `export const waited = await 'waited';`,
  },
  'a missing file stops an import before anything runs': {
    'main.mjs': `
      await import('./a.mjs').catch((e) => log(e.code));
      await import('./b.mjs').catch((e) => log(e.code));`,
    'a.mjs': `import './c.mjs'; import './none.mjs'; log('never');`,
    'b.mjs': `import './a.mjs'; log('never');`,
    'c.mjs': `log('never');`,
  },
  'createRequire, names of CommonJS, import.meta': {
    'main.mjs': `
      import { createRequire } from 'node:module';
      import path from 'node:path';
      import { fileURLToPath } from 'node:url';
      const require = createRequire(import.meta.url);
      const __filename = fileURLToPath(import.meta.url);
      const exports = 'mine', module = 'too';
      log(require('./c.cjs').c, require('./data.json').n, path.basename(__filename), exports, module);
      log(path.basename(require.resolve('./c.cjs')), path.basename(import.meta.resolve('./data.json')));
      log(require('./c.cjs') === require('./c.cjs'), Object.keys(import.meta).includes('url'));`,
    'c.cjs': `exports.c = require('./data.json').n + 1;`,
    'data.json': `{ "n": 1 }`,
  },
  'CommonJS: cycle, cache, module object': {
    'main.cjs': `
      const path = require('path');
      log(require('./a.cjs').done, module.loaded, path.basename(module.filename), module.id === __filename);
      log(module.children.map((m) => path.basename(m.id)), module.children[0].parent === module);
      const before = require('./state.cjs');
      delete require.cache[require.resolve('./state.cjs')];
      log(require('./state.cjs') === before, require.resolve('fs'), typeof require.main);
      require.cache[require.resolve('./state.cjs')].exports = 'replaced';
      log(require('./state.cjs'), __dirname === path.dirname(__filename), this === module.exports);
      log(module.paths[0] === path.join(__dirname, 'node_modules'), module instanceof require('module'));
      log(require.resolve.paths('x')[0] === module.paths[0], arguments.length >= 5);`,
    'a.cjs': `exports.done = false; const b = require('./b.cjs'); log('in a', b.done); exports.done = true;`,
    'b.cjs': `log('in b', require('./a.cjs').done); exports.done = true;`,
    'state.cjs': `module.exports = {}; log('state');`,
  },
  'CommonJS: failures': {
    'main.cjs': `
      for (const i of [1, 2]) try { require('./bad.cjs'); } catch (e) { log(i, e.message); }
      for (const bad of ['', 5, './none', 'no-such-package', '#none']) {
        try { require(bad); } catch (e) { log(e.code, e.message.split('\\n')[0].replace(/'.*'/, '')); }
      }
      try { require.resolve('./none'); } catch (e) { log(e.code); }`,
    'bad.cjs': `log('bad runs'); throw new Error('bad');`,
  },
  'a folder, its main, JSON without an extension': {
    'main.cjs': `log(require('./lib'), require('./lib/'), require('.').x, require('./data').n);`,
    'lib/package.json': `{ "main": "entry" }`,
    'lib/entry.js': `module.exports = 'entry';`,
    'index.js': `exports.x = 'index';`,
    'data.json': `{ "n": 1 }`,
  },
  'sloppy mode stays sloppy': {
    'main.cjs': `
      log(this === module.exports, (function () { return this === globalThis; })(), delete Object.prototype.none);
      log(new Function('return typeof require')());`,
  },
  'import() of data, builtins and computed names': {
    'main.mjs': `
      const name = (n) => './' + n + '.mjs';
      log((await import(name('m'))).m, typeof (await import('node:fs')).default.readFileSync);
      log((await import(new URL('./m.mjs', import.meta.url))).m);
      log((await import('./data.json', { with: { type: 'json' } })).default.n);
      for (const bad of ['./none.mjs', 'no-such-package']) await import(bad).catch((e) => log(e.code));
      const again = await import('./m.mjs'); log(again === (await import('./m.mjs')));`,
    'm.mjs': `export const m = 'm'; log('once');`,
    'data.json': `{ "n": 1 }`,
  },
  'node: type and detection decide the format': {
    'main.mjs': `
      log(Object.keys(await import('./detected.js')));
      log((await import('./plain.js')).default, (await import('./typed/m.js')).x);`,
    'detected.js': `export const a = 1; log(typeof module);`,
    'plain.js': `module.exports = 'plain'; log(typeof module);`,
    'typed/package.json': `{ "type": "module" }`,
    'typed/m.js': `export const x = this === undefined;`,
  },
};

/** Runs the program in a Node process of its own. A promise as default export is waited for. */
function logOfNode(main: string): unknown {
  const runner = path.join(path.dirname(main), 'runner.mjs');
  fs.writeFileSync(
    runner,
    `const lines = [];
     globalThis.log = (...values) => lines.push(values);
     const ns = await import(${JSON.stringify('./' + path.basename(main))})
       .catch((e) => log('failed', e.message));
     await ns.default;
     await new Promise((done) => setTimeout(done, 5));
     process.stdout.write(JSON.stringify(lines));`,
  );
  const output = execFileSync(process.execPath, ['--no-warnings', runner], { encoding: 'utf8' });
  fs.rmSync(runner);
  return JSON.parse(output);
}

async function logOfLoader(loader: Loader, main: string): Promise<unknown> {
  const lines: unknown[] = [];
  const globals = globalThis as { log?: unknown };
  globals.log = (...values: unknown[]) => lines.push(values);
  try {
    const namespace = await loader
      .fresh()
      .importFile(main)
      .catch((error: Error) => lines.push(['failed', error.message]));
    await (namespace as { default?: unknown }).default;
    await new Promise((done) => setTimeout(done, 5));
  } finally {
    delete globals.log;
  }
  return JSON.parse(JSON.stringify(lines));
}

describe('loader: the same order and values as Node', () => {
  for (const [title, files] of Object.entries(programs)) {
    it(title, async () => {
      const root = writeProject({ 'package.json': '{ "name": "program" }', ...files });
      const main = path.join(root, Object.hasOwn(files, 'main.mjs') ? 'main.mjs' : 'main.cjs');
      const expected = logOfNode(main);
      const loader = new Loader(openOverlay(root));
      for (const trial of ['first', 'second', 'third']) {
        expect(await logOfLoader(loader, main), `${trial} trial`).to.deep.equal(expected);
      }
    }).timeout(20_000);
  }
});
