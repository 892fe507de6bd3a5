/**
 * Correct programs in a small size: those of test/fixtures/correct that need no library. A sweep
 * finds nothing in them, on `node` and on `stubs`.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const root = path.join(__dirname, '../../..');

describe('correct programs', () => {
  let folder: string;

  before(() => {
    folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-correct-test-')));
    fs.cpSync(path.join(root, 'test/fixtures/correct'), folder, { recursive: true });
    const modules = path.join(folder, 'node_modules');
    fs.symlinkSync(path.join(root, 'node_modules'), modules, 'junction');
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('are left alone', function () {
    this.timeout(60_000);
    const bin = path.join(root, 'dist/cli/bin.js');
    const args = ['sweep', '--order=stubs', '--trials=100', '--no-check', '--reporter=json'];
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [bin, ...args, 'test/by-hand.test.ts'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(status, stderr || stdout).to.equal(0);
    const { trials, passed, shapes, skipped } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ trials, passed, skipped }).to.deep.equal({ trials: 100, passed: 100, skipped: [] });
    expect(shapes).to.be.greaterThan(10);
  });
});
