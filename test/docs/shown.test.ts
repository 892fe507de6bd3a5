/**
 * No block of code in the docs is there untested: each is run by a test that takes it from its
 * page, or stands in the table below beside the test that runs the same.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { blocksOf, type Block } from './blocks.js';

const root = path.join(__dirname, '..', '..', '..');

/** Pages whose TypeScript programs.test.ts runs. */
const PROGRAMS = ['docs/faults.md', 'docs/primitives.md', 'docs/scenarios.md'];

/** By page: words of a block, and the test of what it shows. */
const SHOWN: Readonly<Record<string, readonly (readonly [words: string, test: string])[]>> = {
  'docs/commands.md': [['detsim-ignore-file', 'test/check-command/command.test.ts']],
  'docs/editor.md': [
    ['"plugins"', 'test/langservice/editor.test.ts'],
    ['detsim-ignore-next-line', 'test/langservice/host.test.ts'],
    ['vim.lsp', 'test/langservice/lsp.test.ts'],
    ['[language-server.detsim]', 'test/langservice/lsp.test.ts'],
    ['eslint.config.mjs', 'test/langservice/eslint.test.ts'],
  ],
  'docs/faults.md': [
    ['It fails when', 'test/cli/world-faults.test.ts'],
    ['DETSIM_FAULTS', 'test/cli/world-faults.test.ts'],
  ],
  'docs/first-race.md': [['npm i -D detsim', 'test/package/package.test.ts']],
  'docs/hosts.md': [['bank.scenario.ts', 'test/cli/hosts.test.ts']],
  'docs/io.md': [['powerMayFail', 'test/files/faults.test.ts']],
  'docs/linearizability.md': [
    ['registerModel', 'test/check/page.test.ts'],
    ['not linearizable (register)', 'test/check/page.test.ts'],
    ['type Model', 'test/check/page.test.ts'],
    ['not linearizable (bank', 'test/check/page.test.ts'],
  ],
  'docs/reading-a-finding.md': [['Debugger listening', 'test/cli/inspect.test.ts']],
  'docs/runners.md': [
    ['defineConfig', 'test/docs/runners-page.test.ts'],
    ['module.exports', 'test/docs/runners-page.test.ts'],
    ['simulate(', 'test/docs/runners-page.test.ts'],
  ],
  'docs/scale.md': [
    ['npx detsim worker', 'test/queue/queue.test.ts'],
    ['npm install --save-dev bullmq', 'test/queue/queue.test.ts'],
  ],
  'docs/stand-ins.md': [
    ['RedisServer', 'test/redis/sweep.test.ts'],
    ["redis.get('visits')", 'test/redis/sweep.test.ts'],
    ['PostgresServer', 'test/postgres/sweep.test.ts'],
  ],
  'docs/traces.md': [['starts async', 'test/trace/show.test.ts']],
};

const pages = [
  'README.md',
  ...fs
    .readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...['bank', 'kv', 'workerpool'].map((name) => `examples/${name}/README.md`),
];

/** Whether a block stands between the marks of a transcript, which transcripts.test.ts makes anew. */
function isTranscript(page: string, { line }: Block): boolean {
  const before = fs
    .readFileSync(path.join(root, page), 'utf8')
    .split('\n')
    .slice(0, line - 1);
  const open = before.filter((text) => /^<!-- [\w-]+ -->$/.test(text)).length;
  return open > before.filter((text) => /^<!-- \/[\w-]+ -->$/.test(text)).length;
}

function isRun(page: string, block: Block): boolean {
  if (/^sh\b/.test(block.info)) return true; // commands.test.ts
  if (block.info === 'ts' && PROGRAMS.includes(page)) return true;
  return page === 'docs/api.md' || isTranscript(page, block); // pages.test.ts
}

describe('blocks of code in the docs', () => {
  for (const page of pages) {
    const blocks = blocksOf(page).filter((block) => !isRun(page, block));
    if (blocks.length === 0) continue;
    it(`${page}: each is run, or shown elsewhere to work`, () => {
      const shown = SHOWN[page] ?? [];
      const untested = blocks.filter(({ info, code }) => {
        // What is JSON has to be that.
        if (info === 'json' && isJson(code)) return false;
        return !shown.some(([words]) => code.includes(words));
      });
      expect(untested.map(({ line }) => `${page}:${line}`)).to.deep.equal([]);
    });
  }

  it('the table names no block and no test that is gone', () => {
    const gone = Object.entries(SHOWN).flatMap(([page, shown]) => {
      const code = blocksOf(page).map((block) => block.code);
      return shown
        .filter(
          ([words, test]) =>
            !code.some((text) => text.includes(words)) || !fs.existsSync(path.join(root, test)),
        )
        .map(([words, test]) => `${page}: ${words} (${test})`);
    });
    expect(gone).to.deep.equal([]);
  });
});

/** Comments aside. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''));
    return true;
  } catch {
    return false;
  }
}
