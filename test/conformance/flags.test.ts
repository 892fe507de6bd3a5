/**
 * The same seeds give the same bytes whatever the engine does underneath: without its compilers,
 * with hash seeds and Math.random of its own started elsewhere, and with memory moved about all the
 * time.
 */

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const repository = path.join(__dirname, '../../..');
const child = path.join(__dirname, 'sweep-child.js');
const TRIALS = 12;

const FLAGS = ['--jitless', '--random-seed=7', '--stress-compaction'];

/**
 * Why this Node does not take the flag; undefined when it does. Some of version 22 end with an
 * error as soon as one of their globals is looked at without WebAssembly.
 */
function refusal(flag: string): string | undefined {
  const args = [flag, '-e', 'Object.getOwnPropertyDescriptors(globalThis)'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}

describe('a sweep under flags of the engine', function () {
  this.timeout(120_000);
  let work: string;
  let files: string[];
  let plain: string;

  before(async () => {
    work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-flags-')));
    files = [
      path.join(copyOf('test/fixtures/correct'), 'test/by-hand.test.ts'),
      path.join(copyOf('examples/workerpool'), 'test/pool.test.ts'),
    ];
    plain = await outputOf([]);
  });

  after(() => fs.rmSync(work, { recursive: true, force: true }));

  /** A project whose node_modules are the repository's. */
  function copyOf(folder: string): string {
    const copy = path.join(work, path.basename(folder));
    fs.cpSync(path.join(repository, folder), copy, {
      recursive: true,
      filter: (file) => !['node_modules', '.detsim'].includes(path.basename(file)),
    });
    const modules = path.join(copy, 'node_modules');
    fs.symlinkSync(path.join(repository, 'node_modules'), modules, 'junction');
    return copy;
  }

  function outputOf(flags: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const running = spawn(process.execPath, [...flags, child, String(TRIALS), ...files]);
      let output = '';
      let errors = '';
      running.stdout.on('data', (chunk) => (output += chunk));
      running.stderr.on('data', (chunk) => (errors += chunk));
      running.on('error', reject);
      running.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(errors))));
    });
  }

  it('says something: passing trials, failing ones, and traces', () => {
    expect(plain).to.include('"state":"passed"');
    expect(plain).to.include('"kind":"assertion"');
    expect(plain.split('\n').length).to.be.greaterThan(4 * TRIALS);
  });

  it('is the same in another process', async () => {
    expectSame(await outputOf([]), plain);
  });

  for (const flag of FLAGS) {
    it(`is the same with ${flag}`, async function () {
      const reason = refusal(flag);
      if (reason !== undefined) {
        this.test!.title += `: not on this Node (${reason})`;
        this.skip();
      }
      expectSame(await outputOf([flag]), plain);
    });
  }
});

/** Compares line by line, so that a difference shows where it starts. */
function expectSame(output: string, expected: string): void {
  if (output === expected) return;
  const lines = output.split('\n');
  const expectedLines = expected.split('\n');
  const at = expectedLines.findIndex((line, i) => line !== lines[i]);
  expect(lines[at], `line ${at + 1}`).to.equal(expectedLines[at]);
  expect(lines.length, 'lines').to.equal(expectedLines.length);
}
