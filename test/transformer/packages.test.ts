/** Real packages, compiled file by file: everything parses, and they export what they did. */

import { expect } from 'chai';
import fs from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { compileFile } from '../../transformer/compile.js';

const modules = path.join(__dirname, '../../../node_modules');

function formatOf(file: string): 'commonjs' | 'module' {
  if (/\.[cm]js$/.test(file)) return file.endsWith('.mjs') ? 'module' : 'commonjs';
  let folder = path.dirname(file);
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  const { type } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return type === 'module' ? 'module' : 'commonjs';
}

/** Evaluates compiled files of packages, as the loader does; what is not JavaScript is Node's. */
class MiniLoader {
  readonly files = new Map<string, { exports: any }>();

  load(file: string): any {
    const known = this.files.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as any };
    this.files.set(file, module);
    const format = formatOf(file);
    const text = fs.readFileSync(file, 'utf8');
    const input = { file, text, path: path.basename(file), format, options: {}, stub: false };
    const { code, diagnostics, topLevelAwait } = compileFile(input);
    expect(diagnostics, file).to.deep.equal([]);
    expect(topLevelAwait, file).to.equal(false);
    const body = format === 'module' ? `"use strict";return (() => {${code}\n})()` : code;
    const names = ['exports', 'require', 'module', '__filename', '__dirname', '$import'];
    const run = vm.compileFunction(body, names, { filename: file });
    const load = Object.assign((request: string) => this.request(request, file, format), {
      resolve: createRequire(file).resolve,
      cache: {},
    });
    const receiver = format === 'module' ? undefined : module.exports;
    run.call(receiver, module.exports, load, module, file, path.dirname(file), () =>
      Promise.reject(),
    );
    return module.exports;
  }

  private request(request: string, from: string, format: string): any {
    if (request === 'detsim/runtime') return require('../../runtime/index.js');
    const found = createRequire(from).resolve(request);
    const own = !isBuiltin(found) && /\.[cm]?js$/.test(found);
    const exports = own ? this.load(found) : createRequire(from)(found);
    if (format === 'commonjs' || exports.__esModule) return exports;
    return Object.defineProperty({ ...exports, default: exports }, '__esModule', { value: true });
  }
}

describe('transformer: real packages', function () {
  this.timeout(60_000);

  for (const entry of [
    'commander/index.js',
    'chai/index.js',
    'p-limit/index.js',
    'sinon/lib/sinon.js',
    'mocha/index.js',
  ]) {
    it(`${entry} and all that it loads`, async () => {
      const file = path.join(modules, entry);
      const loader = new MiniLoader();
      const exported = loader.load(file);
      const native = await import(pathToFileURL(file).href);
      const expected = formatOf(file) === 'module' ? native : native.default;
      // Node's lexer does not find every name of a CommonJS file that is exported again.
      expect(Object.keys(exported)).to.include.members(Object.keys(expected));
      expect(typeof exported).to.equal(formatOf(file) === 'module' ? 'object' : typeof expected);
    });
  }
});
