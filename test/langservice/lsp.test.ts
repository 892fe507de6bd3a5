/** `detsim lsp`: what an editor on TypeScript 7 shows and offers. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CodeAction, Diagnostic, Position } from 'vscode-languageserver/node';
import { LspClient } from './lsp-client.js';
import { makeProject, OPTIONS, placeOf } from './project.js';

const LOCK = `import { cell } from './cell.js';

export async function lock(): Promise<void> {
  await ready();
  Atomics.wait(cell, 0, 1);
}

async function ready(): Promise<void> {}
`;
const CELL = 'export const cell = new Int32Array(new SharedArrayBuffer(4));\n';

const at = (text: string, piece: string): Position => {
  const { line, offset } = placeOf(text, piece);
  return { line: line - 1, character: offset - 1 };
};

const brief = ({ code, severity, range: { start, end } }: Diagnostic): string =>
  `${code} ${severity} ${start.line}:${start.character}-${end.line}:${end.character}`;

const WAIT = 'DS1001 1 4:2-4:26';

describe('detsim lsp', function () {
  this.timeout(60_000);
  let folder: string;
  let client: LspClient;

  before(async () => {
    folder = makeProject({ 'lock.ts': LOCK, 'cell.ts': CELL });
    client = new LspClient(folder);
    const { capabilities, serverInfo } = await client.initialize();
    expect(serverInfo!.name).to.equal('detsim');
    expect(capabilities).to.have.keys('textDocumentSync', 'hoverProvider', 'codeActionProvider');
  });

  it('marks what cannot be intercepted when a file is opened', async () => {
    await client.open('lock.ts', LOCK);
    const [found, ...more] = await client.diagnostics('lock.ts');
    expect(brief(found!)).to.equal(WAIT);
    expect(more).to.deep.equal([]);
    expect(found!.message).to.match(/^`Atomics\.wait` blocks/);
    expect(found!.source).to.equal('detsim');
    expect(found!.codeDescription!.href).to.match(/^file:.*docs\/rules\/DS1001\.md$/);
  });

  it('offers fixes that leave nothing to mark', async () => {
    const range = { start: at(LOCK, 'wait('), end: at(LOCK, 'wait(') };
    const actions = await client.actions('lock.ts', range, []);
    expect(actions.map(({ title, isPreferred }) => `${title} ${isPreferred}`)).to.deep.equal([
      'Await `Atomics.waitAsync` true',
      'Ignore DS1001 on this line false',
      'Ignore DS1001 in this file false',
    ]);
    for (const { edit, diagnostics } of actions as Required<CodeAction>[]) {
      expect(diagnostics.map(brief)).to.deep.equal([WAIT]);
      const document = TextDocument.create('file:///lock.ts', 'typescript', 1, LOCK);
      const fixed = TextDocument.applyEdits(document, edit.changes![client.uri('lock.ts')]!);
      const all = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
      await client.change('lock.ts', all, fixed);
      expect(await client.diagnostics('lock.ts'), fixed).to.deep.equal([]);
      await client.change('lock.ts', all, LOCK);
      expect((await client.diagnostics('lock.ts')).map(brief)).to.deep.equal([WAIT]);
    }
    const nothing = await client.actions('lock.ts', { ...range, start: range.start }, []);
    expect(nothing).to.have.length(3);
    const start = { line: 0, character: 0 };
    expect(await client.actions('lock.ts', { start, end: start }, [])).to.deep.equal([]);
  });

  it('explains on hovering, and names the site of an await', async () => {
    const why = await client.hover('lock.ts', at(LOCK, 'wait('));
    const { kind, value } = why!.contents as { kind: string; value: string };
    expect(kind).to.equal('markdown');
    expect(value).to.include('All tasks of a simulation run in one thread.');
    const site = await client.hover('lock.ts', at(LOCK, 'await ready'));
    expect(site!.contents).to.deep.equal({
      kind: 'markdown',
      value: 'detsim: a yield point, `lock.ts:4:3` in `lock`.',
    });
    expect(site!.range).to.deep.equal({
      start: at(LOCK, 'await ready'),
      end: at(LOCK, ' ready'),
    });
    expect(await client.hover('lock.ts', at(LOCK, 'export'))).to.equal(null);
  });

  it('follows edits of other open files, and of the disk', async () => {
    const user = "import { wait } from './waits.js';\nwait(new Int32Array(1), 0, 0);\n";
    const mark = 'DS1001 1 1:0-1:29';
    const blocks = 'export const wait = Atomics.wait;\n';
    const harmless = 'export const wait = (..._: unknown[]): void => {};\n';
    const waits = path.join(folder, 'waits.ts');
    fs.writeFileSync(waits, blocks);
    await client.open('user.ts', user);
    expect((await client.diagnostics('user.ts')).map(brief)).to.deep.equal([mark]);

    await client.open('waits.ts', blocks);
    const all = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    await client.change('waits.ts', all, harmless);
    expect(await client.diagnostics('user.ts')).to.deep.equal([]);
    await client.close('waits.ts');
    expect((await client.diagnostics('user.ts')).map(brief)).to.deep.equal([mark]);
    fs.writeFileSync(waits, harmless);
    expect(await client.diagnostics('user.ts')).to.deep.equal([]);
    await client.close('user.ts');
  });

  it('works for a JavaScript file without a tsconfig', async () => {
    const loose = makeProject({ 'tsconfig.json': '', 'a.js': '' });
    fs.rmSync(path.join(loose, 'tsconfig.json'));
    const name = path.relative(folder, path.join(loose, 'a.js'));
    await client.open(name, 'Atomics.wait(new Int32Array(1), 0, 0);\n');
    expect((await client.diagnostics(name)).map(brief)).to.deep.equal(['DS1001 1 0:0-0:37']);
  });

  it('ends when it is told to', async () => {
    expect(client.logged).to.deep.equal([]);
    expect(await client.stop()).to.equal(0);
  });

  it('ends when its client goes away', async () => {
    const other = new LspClient(makeProject({ 'lock.ts': LOCK, 'cell.ts': CELL }));
    await other.initialize();
    await other.open('lock.ts', LOCK);
    await other.diagnostics('lock.ts');
    const ended = new Promise((resolve) => other.child.once('exit', resolve));
    other.child.stdin!.end();
    expect(await ended).to.equal(1);
  });

  it('reads a project of TypeScript 7, with options that only it knows', async () => {
    const options = { ...OPTIONS, deduplicatePackages: true };
    const seven = makeProject({
      ...{ 'lock.ts': LOCK, 'cell.ts': CELL },
      'tsconfig.json': JSON.stringify({ compilerOptions: options, contentMappers: [] }),
    });
    fs.rmSync(path.join(seven, 'node_modules/typescript'));
    const other = new LspClient(seven);
    await other.initialize();
    await other.open('lock.ts', LOCK);
    expect((await other.diagnostics('lock.ts')).map(brief)).to.deep.equal([WAIT]);
    expect(await other.stop()).to.equal(0);
  });
});
