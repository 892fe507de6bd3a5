/**
 * Runs every command that the README and the pages of docs/ show, in a copy of
 * examples/workerpool. A block of commands is fenced with `sh`, or with `sh exit=1` when each of
 * them ends with that status. The blocks of one page run in order, in one copy.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const root = path.join(__dirname, '..', '..', '..');

/** Commands that are run elsewhere, since they concern the repository or the registry. */
const RUN_ELSEWHERE = new Set([
  'npm start', // test/docs/transcript.test.ts
  'npm test', // this
  'npm i -D detsim', // test/package/package.test.ts
  'npx detsim init', // test/package/package.test.ts
]);

interface Block {
  readonly line: number;
  readonly status: number;
  readonly commands: readonly string[];
}

function blocksOf(page: string): Block[] {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^ *```sh(?: exit=(\d+))?\n([^]*?)^ *```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    status: Number(match[1] ?? 0),
    commands: match[2]!
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/(?:^|\s+)#.*/, '').trim())
      .filter((line) => line !== '' && !RUN_ELSEWHERE.has(line)),
  }));
}

/** A copy of the example, with the packages of this repository and detsim itself. */
function copyOfExample(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-docs-'));
  fs.cpSync(path.join(root, 'examples', 'workerpool'), folder, {
    recursive: true,
    filter: (file) => path.basename(file) !== '.detsim',
  });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return folder;
}

const pages = [
  'README.md',
  'examples/workerpool/README.md',
  'examples/kv/README.md',
  ...fs.readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`),
].filter((page) => page.endsWith('.md') && blocksOf(page).length > 0);

describe('commands in the docs', function () {
  this.timeout(120_000);

  for (const page of pages) {
    describe(page, () => {
      let folder: string;
      before(() => {
        folder = copyOfExample();
      });
      after(() => fs.rmSync(folder, { recursive: true, force: true }));

      for (const { line, status, commands } of blocksOf(page)) {
        for (const command of commands) {
          it(`line ${line}: ${command}`, () => {
            const result = spawnSync(command, {
              cwd: folder,
              shell: true,
              encoding: 'utf8',
              env: { ...process.env, NO_COLOR: '1' },
            });
            expect(result.status, result.stdout + result.stderr).to.equal(status);
          });
        }
      }
    });
  }
});
