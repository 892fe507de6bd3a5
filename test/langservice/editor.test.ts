/** What an editor shows and offers while one types: a real tsserver with the plugin. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { makeProject, OPTIONS, packageFolder, placeOf, PLUGIN } from './project.js';
import { applied, documentationOf, TsServer, type CodeFix, type Diagnostic } from './tsserver.js';

const LOCK = `const cell = new Int32Array(new SharedArrayBuffer(4));

export async function lock(): Promise<string> {
  const how = Atomics.wait(cell, 0, 1);
  return how;
}
`;

const SAVE = `declare function save(user: string): Promise<void>;

export async function register(user: string): Promise<void> {
  save(user);
}
`;

const brief = ({ code, start, end, category, source }: Diagnostic): string =>
  `${source ?? 'ts'} ${code} ${category} ${start.line}:${start.offset}-${end.line}:${end.offset}`;

const WAIT = 'detsim 631001 error 4:15-4:39';

const NEWEST = '6.0';

for (const [version, typescript] of [
  [NEWEST, 'typescript'],
  ['5.9', 'old-typescript-5.9'],
]) {
  describe(`editor: TypeScript ${version}`, function () {
    this.timeout(60_000);
    /** What an older version could not do in another way is tried in one version only. */
    const once = version === NEWEST ? it : (): void => undefined;
    let folder: string;
    let server: TsServer;

    before(() => {
      const text = { 'lock.ts': LOCK, 'crlf.ts': LOCK.replace(/\n/g, '\r\n'), 'save.ts': SAVE };
      folder = makeProject({
        ...{ ...text, 'old.js': 'Atomics.wait(new Int32Array(1), 0, 0);\n' },
        'tsconfig.json': JSON.stringify({ compilerOptions: { ...OPTIONS, allowJs: true } }),
      });
      server = new TsServer(folder, packageFolder(typescript!));
      for (const file of ['lock.ts', 'crlf.ts', 'save.ts', 'old.js']) server.open(file);
    });
    after(() => server.stop());

    const fixesOf = async (file: string): Promise<[CodeFix[], Diagnostic]> => {
      const [first] = await server.diagnostics(file);
      return [await server.fixes(file, first!), first!];
    };

    it('marks what cannot be intercepted, and says what to do', async () => {
      const found = await server.diagnostics('lock.ts');
      expect(found.map(brief)).to.deep.equal([WAIT]);
      expect(found[0]!.text).to.match(/`Atomics\.wait` blocks .*: await `Atomics\.waitAsync`/);
      expect((await server.diagnostics('save.ts')).map(brief)).to.deep.equal([
        'detsim 631102 warning 4:3-4:13',
      ]);
    });

    it('also in JavaScript, and with CRLF', async () => {
      expect((await server.diagnostics('old.js')).map(brief)).to.deep.equal([
        'detsim 631001 error 1:1-1:38',
      ]);
      expect((await server.diagnostics('crlf.ts')).map(brief)).to.deep.equal([WAIT]);
    });

    once('sees what is typed, before it is saved', async () => {
      const at = placeOf(LOCK, 'Atomics');
      server.edit('lock.ts', at, { ...at, offset: at.offset + 'Atomics'.length }, 'Mine');
      const start = { line: 1, offset: 1 };
      server.edit('lock.ts', start, start, 'const Mine = { wait: (..._: unknown[]) => "" };\n');
      expect(await server.diagnostics('lock.ts')).to.deep.equal([]);

      server.edit('lock.ts', start, { line: 2, offset: 1 }, 'const Mine = Atomics;\n');
      expect((await server.diagnostics('lock.ts')).map(brief)).to.deep.equal([
        'detsim 631001 error 5:15-5:36',
      ]);
      server.close('lock.ts');
      server.open('lock.ts');
      expect((await server.diagnostics('lock.ts')).map(brief)).to.deep.equal([WAIT]);
    });

    it('explains a mark on hovering, with a link to the page of the rule', async () => {
      const info = await server.hover('lock.ts', placeOf(LOCK, 'wait('));
      const text = documentationOf(info)!;
      expect(info!.displayString).to.include('Atomics.wait(');
      expect(text).to.include('**detsim DS1001**: `Atomics.wait` blocks');
      expect(text).to.include('All tasks of a simulation run in one thread.');
      const [, url] = /\[DS1001 thread-blocking\]\((file:.*)\)/.exec(text)!;
      expect(path.relative(folder, new URL(url!).pathname)).to.match(/docs\/rules\/DS1001\.md$/);
    });

    for (const file of ['lock.ts', 'crlf.ts', 'save.ts']) {
      (file === 'lock.ts' ? it : once)(
        `offers fixes for ${file} that compile, and leave nothing to mark`,
        async () => {
          const text = fs.readFileSync(path.join(folder, file), 'utf8');
          const [fixes, { code }] = await fixesOf(file);
          const titles = fixes.map(({ description }) => description);
          expect(titles.slice(-2)).to.deep.equal([
            `Ignore DS${code! - 630_000} on this line`,
            `Ignore DS${code! - 630_000} in this file`,
          ]);
          expect(titles.length).to.be.above(2);
          for (const fix of fixes) {
            const fixed = applied(text, file, fix);
            expect(fixed).to.not.equal(text);
            expect(fixed.includes('\r\n')).to.equal(text.includes('\r\n'));
            expect(fixed.replace(/\r\n/g, '')).to.not.include('\r');
            server.replace(file, fixed);
            expect(await server.syntaxErrors(file), fix.description).to.deep.equal([]);
            expect(await server.diagnostics(file), fix.description).to.deep.equal([]);
          }
          server.replace(file, text);
        },
      );
    }

    once('puts all of a kind right at once', async () => {
      const twice = LOCK.replace('  return', '  Atomics.wait(cell, 0, 1);\n  return');
      server.replace('lock.ts', twice);
      const [fixes] = await fixesOf('lock.ts');
      const { fixId, fixAllDescription } = fixes[0]!;
      expect(fixAllDescription).to.include('all DS1001 in this file');
      const scope = { type: 'file', args: { file: path.join(folder, 'lock.ts') } };
      const all = (await server.request('getCombinedCodeFix', { scope, fixId })) as CodeFix;
      const fixed = applied(twice, 'lock.ts', all);
      expect(fixed.match(/await Atomics\.waitAsync/g)).to.have.length(2);
      server.replace('lock.ts', fixed);
      expect(await server.diagnostics('lock.ts')).to.deep.equal([]);
      server.replace('lock.ts', LOCK);
    });

    it('names its codes to editors that ask what can be fixed', async () => {
      const file = path.join(folder, 'lock.ts');
      for (const args of [{ file }, undefined]) {
        const codes = (await server.request('getSupportedCodeFixes', args!)) as string[];
        expect(codes).to.include.members(['631001', '631102']);
        expect(codes).to.include('2304');
      }
    });

    once("leaves the compiler's own fixes alone", async () => {
      server.replace('save.ts', SAVE.replace('save(user);', 'await save(user);\n  return usr;'));
      const [fixes, { code }] = await fixesOf('save.ts');
      expect(code).to.equal(2552);
      expect(fixes.map(({ fixName }) => fixName)).to.deep.equal(['spelling']);
      server.replace('save.ts', SAVE);
    });

    once('follows the tsconfig: another entry for the plugin, files that come and go', async () => {
      const twice = { ...OPTIONS, allowJs: true, plugins: [PLUGIN, PLUGIN, { name: PLUGIN.name }] };
      const tsconfig = path.join(folder, 'tsconfig.json');
      fs.writeFileSync(tsconfig, JSON.stringify({ compilerOptions: twice }));
      await server.request('reloadProjects', {});
      expect((await server.diagnostics('lock.ts')).map(brief)).to.deep.equal([WAIT]);
      expect((await fixesOf('lock.ts'))[0]).to.have.length(3);
      expect(server.log()).to.not.include('detsim: ');
    });
  });
}
