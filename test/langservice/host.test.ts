/** The plugin as a guest of tsserver: projects of every shape, large files, and its own defects. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { makeProject, OPTIONS, packageFolder, packageRoot, placeOf } from './project.js';
import { applied, documentationOf, TsServer } from './tsserver.js';

const WAIT = 'Atomics.wait(new Int32Array(1), 0, 0);\n';
const typescript = packageFolder('typescript');

const { noEmit: _, ...emitting } = { ...OPTIONS, composite: true, outDir: 'out' };
const referenced = (more: object): string =>
  JSON.stringify({ extends: '../base.json', include: ['.'], ...more });
const tsconfig = (more: object = {}): string =>
  JSON.stringify({ compilerOptions: { ...OPTIONS, ...more } });

const SUM_LENGTH = 2_000;
const NUMBERS = Array.from({ length: 9_999 }, (_, i) => `export const value${i} = ${i};\n`);
const SUM = `export const sum = ${NUMBERS.slice(0, SUM_LENGTH)
  .map((_, i) => `value${i}`)
  .join(' + ')};\n`;

const PAGE = `export const page = \`\n  <p>\${${WAIT.trim().slice(0, -1)}}</p>\n\`;\n`;

/** Projects in folders of their own, for one server. */
const FILES = {
  'references/base.json': JSON.stringify({ compilerOptions: emitting }),
  'references/tsconfig.json': JSON.stringify({
    files: [],
    references: [{ path: './library' }, { path: './app' }],
  }),
  'references/library/tsconfig.json': referenced({}),
  'references/library/wait.ts': 'export const wait = Atomics.wait;\n',
  'references/app/tsconfig.json': referenced({ references: [{ path: '../library' }] }),
  'references/app/main.ts': `import { wait } from '../library/wait.js';\n${WAIT.replace('Atomics.', '')}`,

  'large/tsconfig.json': tsconfig(),
  'large/large.ts': NUMBERS.join('') + SUM + WAIT,

  'page/tsconfig.json': tsconfig(),
  'page/page.ts': PAGE,

  'others/tsconfig.json': tsconfig({ allowJs: true, maxNodeModuleJsDepth: 1 }),
  'others/main.ts': "import 'plain';\n",
  'others/.detsim/overlay/main.js': WAIT,
  'node_modules/plain/package.json': '{ "name": "plain" }',
  'node_modules/plain/index.js': WAIT,
};

describe('editor: the plugin as a guest', function () {
  this.timeout(60_000);
  let server: TsServer;
  before(() => {
    server = new TsServer(makeProject(FILES), typescript);
  });
  after(() => server.stop());
  const codes = async (file: string): Promise<number[]> =>
    (await server.diagnostics(file)).map(({ code }) => code!);

  it('works in referenced projects whose tsconfig inherits the entry', async () => {
    server.open('references/app/main.ts');
    expect(await codes('references/app/main.ts')).to.deep.equal([631001]);
    const library = 'references/library/wait.ts';
    server.open(library, `export const wait = Atomics.wait;\n${WAIT}`);
    expect(await codes(library)).to.deep.equal([631001]);
    server.replace(library, 'export const wait = (..._: unknown[]): void => {};\n');
    expect(await codes('references/app/main.ts')).to.deep.equal([]);
  });

  it('finds what there is in a file of 10,000 lines, also where it nests deeply', async () => {
    server.open('large/large.ts');
    const found = await server.diagnostics('large/large.ts');
    expect(found.map(({ code, start }) => [code, start.line])).to.deep.equal([[631001, 10_001]]);
    const sum = { line: 10_000, offset: placeOf(SUM, 'value7 ').offset };
    expect((await server.hover('large/large.ts', sum))!.displayString).to.equal('const value7: 7');
    server.close('large/large.ts');
  });

  it('puts no comment into a text that goes over lines', async () => {
    server.open('page/page.ts');
    const [found] = await server.diagnostics('page/page.ts');
    const fixes = await server.fixes('page/page.ts', found!);
    expect(fixes.map(({ description }) => description)).to.deep.equal([
      'Ignore DS1001 in this file',
    ]);
    server.replace('page/page.ts', applied(PAGE, 'page/page.ts', fixes[0]!));
    expect(await codes('page/page.ts')).to.deep.equal([]);
  });

  it('leaves packages and overlays alone', async () => {
    const files = ['main.ts', '.detsim/overlay/main.js', '../node_modules/plain/index.js'];
    for (const file of files) {
      server.open(`others/${file}`);
      expect(await codes(`others/${file}`), file).to.deep.equal([]);
    }
  });
});

describe('editor: a defect of the plugin', function () {
  this.timeout(60_000);

  it('is logged, and the host answers as without it', async () => {
    const text = `${WAIT}export const count: string = 1;\nexport const later = async (): Promise<void> => await null!;\n`;
    const folder = makeProject({ 'main.ts': text });
    const check = path.join(packageRoot, 'dist/transformer/analyzer/check/index.js');
    const defect = path.join(folder, 'defect.cjs');
    fs.writeFileSync(
      defect,
      `require(${JSON.stringify(check)}).checkFile = () => { throw new Error('a defect'); };\n`,
    );
    const server = new TsServer(folder, typescript, ['--require', defect]);
    server.open('main.ts');
    const [found, ...more] = await server.diagnostics('main.ts');
    expect([found!.code, found!.start.line]).to.deep.equal([2322, 2]);
    expect(more).to.deep.equal([]);
    expect(await server.fixes('main.ts', found!)).to.be.an('array');
    const info = await server.hover('main.ts', placeOf(text, 'count'));
    expect(info!.displayString).to.equal('const count: string');
    expect(documentationOf(info)).to.equal('');
    expect(server.log()).to.match(
      /detsim: finding what cannot be intercepted failed: Error: a defect\n {4}at/,
    );
    expect(server.log()).to.match(/detsim: hovering failed: Error: a defect/);
    await server.stop();
  });
});
