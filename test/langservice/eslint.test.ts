/** `detsim/eslint` in the versions of ESLint that it is for. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { ESLint as ESLintClass, Linter } from 'eslint';
import { parser } from 'typescript-eslint';
import detsim from '../../langservice/eslint/index.js';
import { makeProject, packageFolder, packageRoot } from './project.js';

const LOCK = `const cell = new Int32Array(new SharedArrayBuffer(4));
export async function lock(): Promise<void> {
  const { wait } = Atomics;
  wait(cell, 0, 1);
  Atomics.wait(cell, 0, 1);
}
`;

const FILES = {
  'lock.ts': LOCK,
  'save.ts': `declare function save(): Promise<void>;\nexport const run = (): void => {\n  save();\n};\n`,
  'quiet.ts': `// detsim-ignore-file DS1001: one thread\n${LOCK}`,
  'clean.ts': 'export const one = 1;\n',
};

/** The config that the docs show. */
function configOfDocs(): string {
  const page = fs.readFileSync(path.join(packageRoot, 'docs/editor.md'), 'utf8');
  return /```js\n\/\/ eslint\.config\.mjs\n([^]*?)```/.exec(page)![1]!;
}

describe('detsim/eslint', function () {
  this.timeout(60_000);

  it('works with the config that the docs show', () => {
    const src = { 'src/lock.ts': LOCK, 'src/clean.ts': FILES['clean.ts'] };
    const folder = makeProject({ ...src, 'eslint.config.mjs': configOfDocs() });
    for (const name of ['eslint', 'typescript-eslint']) {
      fs.symlinkSync(packageFolder(name), path.join(folder, 'node_modules', name), 'junction');
    }
    const bin = path.join(packageFolder('eslint'), 'bin/eslint.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'src'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).to.equal(1);
    expect(stdout.match(/detsim\/thread-blocking/g)).to.have.length(2);
    expect(stdout).to.not.include('clean.ts');
  });
});

for (const [version, name] of [
  ['10', 'eslint'],
  ['9', 'old-eslint-9'],
]) {
  describe(`detsim/eslint in ESLint ${version}`, function () {
    this.timeout(60_000);
    let folder: string;
    const { ESLint } = require(packageFolder(name!)) as { ESLint: typeof ESLintClass };

    before(() => {
      folder = makeProject(FILES);
    });

    /** The messages about files, by file. */
    async function lint(
      config: Linter.Config,
      ...files: string[]
    ): Promise<Record<string, Linter.LintMessage[]>> {
      const eslint = new ESLint({ cwd: folder, overrideConfigFile: true, overrideConfig: config });
      const results = await eslint.lintFiles(files);
      return Object.fromEntries(
        results.map(({ filePath, messages }) => [path.basename(filePath), messages]),
      );
    }

    const config = (options: object): Linter.Config => ({
      files: ['**/*.ts'],
      ...detsim.configs.recommended,
      languageOptions: { parser, parserOptions: options },
    });
    const typed = (): Linter.Config => config({ projectService: true, tsconfigRootDir: folder });

    it('runs the same rules, with their names and severities', async () => {
      expect(ESLint.version.split('.')[0]).to.equal(version);
      const found = await lint(typed(), '.');
      const brief = (file: string): string[] =>
        found[file]!.map(
          ({ ruleId, severity, line, column, endLine, endColumn, message }) =>
            `${ruleId} ${severity} ${line}:${column}-${endLine}:${endColumn} ${message.slice(-8)}`,
        );
      expect(brief('lock.ts')).to.deep.equal([
        'detsim/thread-blocking 2 4:3-4:19 (DS1001)',
        'detsim/thread-blocking 2 5:3-5:27 (DS1001)',
      ]);
      expect(brief('save.ts')).to.deep.equal(['detsim/floating-promise 1 3:3-3:9 (DS1102)']);
      expect(brief('quiet.ts')).to.deep.equal([]);
      expect(brief('clean.ts')).to.deep.equal([]);
    });

    it('suggests fixes', async () => {
      const { 'lock.ts': messages } = await lint(typed(), 'lock.ts');
      const [{ desc, fix }] = messages![1]!.suggestions as Linter.LintSuggestion[];
      expect(desc).to.equal('Await `Atomics.waitAsync`');
      const fixed = LOCK.slice(0, fix.range[0]) + fix.text + LOCK.slice(fix.range[1]);
      expect(fixed).to.equal(
        LOCK.replace('  Atomics.wait(cell, 0, 1);', '  await Atomics.waitAsync(cell, 0, 1).value;'),
      );
    });

    it('says once for each file that types are missing, and what to do', async () => {
      const found = await lint(config({}), '.');
      for (const messages of Object.values(found)) {
        expect(messages.map(({ line }) => line)).to.deep.equal([1]);
        expect(messages[0]!.message).to.include('`parserOptions: { projectService: true }`');
      }
    });

    it('leaves rules off that are not asked for', async () => {
      const some = { ...typed(), rules: { 'detsim/floating-promise': 'error' as const } };
      const found = await lint(some, '.');
      expect(found['lock.ts']).to.deep.equal([]);
      expect(found['save.ts']!.map(({ severity }) => severity)).to.deep.equal([2]);
    });

    it('has a page for each rule', () => {
      for (const { meta } of Object.values(detsim.rules)) {
        expect(meta!.docs!.url).to.match(/docs\/rules\/DS1\d\d\d\.md$/);
        expect(meta!.docs!.description).to.not.equal('');
      }
    });
  });
}
