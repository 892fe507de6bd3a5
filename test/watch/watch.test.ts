/**
 * `detsim watch`: an edit is followed by a sweep of the test files that it affects, and of no
 * others; what is wrong with an edit is said, and Ctrl-C ends it.
 */

import fs from 'node:fs';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { copyFixture, startCli } from '../cli/fixture.js';

class Watching {
  private text = '';
  private at = 0;
  private look: () => void = () => undefined;

  constructor(readonly child: ChildProcess) {
    child.stdout!.setEncoding('utf8').on('data', (more: string) => {
      this.text += more;
      this.look();
    });
  }

  /** What it says from here up to some words. */
  until(words: string): Promise<string> {
    return new Promise((resolve) => {
      this.look = () => {
        const end = this.text.indexOf(words, this.at);
        if (end === -1) return;
        const said = this.text.slice(this.at, end + words.length);
        this.at = end + words.length;
        this.look = () => undefined;
        resolve(said);
      };
      this.look();
    });
  }
}

describe('watch', function () {
  this.timeout(120_000);

  it('sweeps what an edit affects', async () => {
    const folder = copyFixture('lost-update');
    const at = (name: string): string => path.join(folder, name);
    fs.writeFileSync(at('src/other.ts'), 'export const two = 2;\n');
    fs.writeFileSync(
      at('test/other.test.ts'),
      "import { two } from '../src/other';\nit('counts', () => { if (two !== 2) throw new Error('miscounted'); });\n",
    );
    const watching = new Watching(startCli(folder, ['watch', '--trials=40', '--workers=1']));
    const ended = new Promise((resolve) => watching.child.once('close', resolve));
    try {
      const first = await watching.until('Waiting for an edit. Ctrl-C ends.\n');
      expect(first).to.match(/^Sweeping 2 test files …/);
      expect(first).to.include('✗ account keeps every deposit');

      fs.writeFileSync(at('src/other.ts'), 'export const two = 3;\n');
      const second = await watching.until('Waiting for an edit.');
      expect(second).to.match(/Sweeping test\/other\.test\.ts …\n/);
      expect(second).to.include('error: miscounted');
      expect(second).to.not.include('account');

      fs.writeFileSync(at('src/other.ts'), 'export const two = ;\n');
      const broken = await watching.until('Waiting for an edit that mends it.');
      expect(broken).to.match(/src\/other\.ts:1:\d+/);

      fs.writeFileSync(at('src/other.ts'), 'export const two = 2;\n');
      const mended = await watching.until('Waiting for an edit. ');
      expect(mended).to.match(/Sweeping test\/other\.test\.ts …\n/);
      expect(mended).to.match(/\d+\/\d+ seeds passed/);
      expect(mended.match(/that mends it/)).to.equal(null);
      const { length } = JSON.parse(fs.readFileSync(at('.detsim/seeds.json'), 'utf8')) as object[];
      expect(length).to.be.above(0);
    } finally {
      watching.child.kill('SIGINT');
    }
    expect(await ended).to.equal(0);
  });
});
