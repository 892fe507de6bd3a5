/**
 * Where a specifier leads: from the output of a project, aliases and conditions, to its source.
 */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import type { RequestKind } from '../../runtime/loader/types.js';
import { openOverlay, writeProject } from './fixture.js';

const tsconfig = (compilerOptions: object, more: object = {}): string =>
  JSON.stringify({ compilerOptions, ...more });

/** Where a specifier leads, in short: a path relative to the root, or what is left to Node. */
function resolver(
  root: string,
): (specifier: string, importer: string, kind?: RequestKind) => string {
  const overlay = openOverlay(root);
  return (specifier, importer, kind = 'require') => {
    const found = overlay.resolve(specifier, path.join(root, importer), kind);
    const short = (file: string): string =>
      path.isAbsolute(file) ? path.relative(root, file) : file;
    if (found.kind === 'types') return 'types';
    return found.kind === 'node' ? `node ${short(found.request)}` : short(found.file);
  };
}

describe('overlay: resolution', () => {
  it('finds the source behind names of output files, missing extensions and folders', () => {
    const resolve = resolver(
      writeProject({
        'package.json': '{}',
        'src/a.ts': '',
        'src/view.tsx': '',
        'src/m.mts': '',
        'src/c.cts': '',
        'src/both.js': '',
        'src/both.ts': '',
        'src/only.js': '',
        'src/data.json': '{}',
        'src/folder/index.ts': '',
        'src/folder.ts': '',
        'src/with-main/package.json': '{ "main": "./lib/entry" }',
        'src/with-main/lib/entry.ts': '',
        'src/types.d.ts': '',
        'src/dotted.service.ts': '',
      }),
    );
    const from = 'src/a.ts';
    expect(resolve('./view.js', from)).to.equal('src/view.tsx');
    expect(resolve('./m.mjs', from)).to.equal('src/m.mts');
    expect(resolve('./c.cjs', from)).to.equal('src/c.cts');
    expect(resolve('./both.js', from)).to.equal('src/both.ts');
    expect(resolve('./both', from)).to.equal('src/both.ts');
    expect(resolve('./only', from)).to.equal('src/only.js');
    expect(resolve('./a.ts', from)).to.equal('src/a.ts');
    expect(resolve('./data.json', from)).to.equal('src/data.json');
    expect(resolve('./data', from)).to.equal('src/data.json');
    expect(resolve('./folder', from)).to.equal('src/folder.ts');
    expect(resolve('./folder/', from)).to.equal('src/folder/index.ts');
    expect(resolve('.', 'src/folder/x.ts')).to.equal('src/folder/index.ts');
    expect(resolve('..', 'src/folder/deep/x.ts')).to.equal('src/folder/index.ts');
    expect(resolve('./with-main', from)).to.equal('src/with-main/lib/entry.ts');
    expect(resolve('./dotted.service', from)).to.equal('src/dotted.service.ts');
    expect(resolve('./types', from)).to.equal('types');
    expect(resolve('./types.js', from)).to.equal('types');
    expect(resolve('./none', from)).to.equal('node ./none');
    expect(resolve('node:fs', from)).to.equal('node node:fs');
    expect(resolve('fs', from)).to.equal('node fs');
  });

  it('follows paths as TypeScript does: the exact one, then the longest prefix, then in order', () => {
    const resolve = resolver(
      writeProject({
        'package.json': '{}',
        'tsconfig.json': tsconfig({
          paths: {
            '*': ['./any/*'],
            '@/*': ['./src/*', './generated/*'],
            '@/lib/*': ['./lib/*'],
            '@/lib/exact': ['./src/exact.ts'],
            '*.view': ['./views/*.ts'],
            typed: ['./types/typed.d.ts'],
          },
        }),
        'any/plain.ts': '',
        'any/lodash.ts': '',
        'src/a.ts': '',
        'src/exact.ts': '',
        'generated/b.ts': '',
        'lib/c.ts': '',
        'views/main.ts': '',
        'types/typed.d.ts': '',
        'node_modules/typed/index.js': '',
        'node_modules/pkg/index.js': '',
      }),
    );
    expect(resolve('@/a', 'src/x.ts')).to.equal('src/a.ts');
    expect(resolve('@/b.js', 'src/x.ts')).to.equal('generated/b.ts');
    expect(resolve('@/lib/c', 'src/x.ts')).to.equal('lib/c.ts');
    expect(resolve('@/lib/exact', 'src/x.ts')).to.equal('src/exact.ts');
    expect(resolve('main.view', 'src/x.ts')).to.equal('views/main.ts');
    expect(resolve('plain', 'src/x.ts')).to.equal('any/plain.ts');
    expect(resolve('typed', 'src/x.ts')).to.equal('node typed');
    expect(resolve('pkg', 'src/x.ts')).to.equal('node pkg');
    expect(resolve('plain', 'node_modules/pkg/index.js')).to.equal('node plain');
  });

  it('follows baseUrl, suffixes and custom conditions', () => {
    const root = writeProject({
      'package.json': JSON.stringify({
        name: 'me',
        exports: { '.': { source: './src/a.ts', default: './none.js' } },
      }),
      'tsconfig.json': tsconfig({
        ignoreDeprecations: '6.0',
        baseUrl: 'src',
        moduleSuffixes: ['.node', ''],
        customConditions: ['source'],
      }),
      'src/a.ts': '',
      'src/b.ts': '',
      'src/b.node.ts': '',
    });
    const resolve = resolver(root);
    expect(resolve('a', 'test/x.ts')).to.equal('src/a.ts');
    expect(resolve('./b', 'src/x.ts')).to.equal('src/b.node.ts');
    expect(resolve('me', 'test/x.ts')).to.equal('src/a.ts');
  });

  it('leads from the output of a project to its source', () => {
    const root = writeProject({
      'package.json': '{ "workspaces": ["packages/*"] }',
      'tsconfig.json': tsconfig(
        {},
        { files: [], references: [{ path: 'packages/a' }, { path: 'packages/b' }] },
      ),
      'packages/a/package.json': '{ "name": "@w/a", "main": "dist/index.js" }',
      'packages/a/tsconfig.json': tsconfig(
        { composite: true, outDir: 'dist', rootDir: 'src' },
        { include: ['src'] },
      ),
      'packages/a/src/index.ts': '',
      'packages/a/src/deep/util.ts': '',
      'packages/a/dist/index.js': '',
      'packages/b/package.json': JSON.stringify({
        name: '@w/b',
        exports: {
          '.': { types: './out/index.d.ts', import: './out/index.js' },
          './*': './out/*.js',
        },
        imports: { '#self': './out/index.js', '#other': '@w/a' },
      }),
      'packages/b/tsconfig.json': tsconfig(
        { composite: true, outDir: 'out' },
        { include: ['lib'] },
      ),
      'packages/b/lib/index.ts': '',
      'packages/b/lib/x.ts': '',
    });
    fs.mkdirSync(path.join(root, 'node_modules/@w'), { recursive: true });
    fs.symlinkSync(path.join(root, 'packages/a'), path.join(root, 'node_modules/@w/a'));
    fs.symlinkSync(path.join(root, 'packages/b'), path.join(root, 'node_modules/@w/b'));
    const resolve = resolver(root);
    expect(resolve('@w/a', 'packages/b/lib/x.ts')).to.equal('packages/a/src/index.ts');
    expect(resolve('@w/a/dist/deep/util', 'packages/b/lib/x.ts')).to.equal(
      'packages/a/src/deep/util.ts',
    );
    expect(resolve('../packages/a/dist/index.js', 'test/x.ts')).to.equal('packages/a/src/index.ts');
    expect(resolve('@w/b', 'packages/a/src/index.ts', 'import')).to.equal(
      'packages/b/lib/index.ts',
    );
    expect(resolve('@w/b/x', 'packages/a/src/index.ts')).to.equal('packages/b/lib/x.ts');
    expect(resolve('@w/b/x', 'packages/b/lib/index.ts')).to.equal('packages/b/lib/x.ts');
    expect(resolve('#self', 'packages/b/lib/x.ts')).to.equal('packages/b/lib/index.ts');
    expect(resolve('#other', 'packages/b/lib/x.ts')).to.equal('packages/a/src/index.ts');
  });

  it('selects the entry of a package by the kind of request', () => {
    const manifest = {
      exports: { '.': { import: './i.mjs', require: './r.cjs' }, './sub': './sub.js' },
    };
    const resolve = resolver(
      writeProject({
        'package.json': '{}',
        'detsim.config.json': '{ "instrument": ["buggy"] }',
        'node_modules/plain/package.json': JSON.stringify(manifest),
        'node_modules/plain/i.mjs': '',
        'node_modules/plain/r.cjs': '',
        'node_modules/buggy/package.json': JSON.stringify(manifest),
        'node_modules/buggy/i.mjs': '',
        'node_modules/buggy/r.cjs': '',
        'node_modules/buggy/sub.js': '',
        'node_modules/buggy/inner.js': '',
        'node_modules/buggy/data.json': '{}',
      }),
    );
    expect(resolve('plain', 'a.ts', 'import')).to.equal('node node_modules/plain/i.mjs');
    expect(resolve('plain', 'a.ts', 'require')).to.equal('node plain');
    expect(resolve('buggy', 'a.ts', 'import')).to.equal('node_modules/buggy/i.mjs');
    expect(resolve('buggy', 'a.ts', 'require')).to.equal('node_modules/buggy/r.cjs');
    expect(resolve('buggy/sub', 'a.ts')).to.equal('node_modules/buggy/sub.js');
    expect(resolve('./inner', 'node_modules/buggy/sub.js')).to.equal('node_modules/buggy/inner.js');
    expect(resolve('buggy/hidden', 'a.ts')).to.equal('node buggy/hidden');
    expect(resolve('none', 'a.ts', 'import')).to.equal('node none');
  });
});
