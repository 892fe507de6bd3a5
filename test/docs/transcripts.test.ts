/**
 * The transcripts in the docs are what the tool prints today, times aside; and `npm start` finds
 * what it is there to find.
 */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

const root = path.join(__dirname, '..', '..', '..');

interface Transcript {
  readonly page: string;
  readonly name: string;
}

interface Transcripts {
  readonly TRANSCRIPTS: readonly Transcript[];
  render(transcript: Transcript): string;
  read(transcript: Transcript): string;
  timeless(text: string): string;
}

describe('transcripts in the docs', function () {
  this.timeout(120_000);
  const { TRANSCRIPTS, render, read, timeless } = require(
    path.join(root, 'scripts', 'transcripts.js'),
  ) as Transcripts;

  for (const transcript of TRANSCRIPTS) {
    it(`${transcript.page}, ${transcript.name}: run scripts/transcripts.js if it is out of date`, () => {
      expect(timeless(read(transcript))).to.equal(timeless(render(transcript)));
    });
  }
});

describe('npm start', function () {
  this.timeout(120_000);

  it('finds both bugs of the example', () => {
    const { status, stdout, stderr } = spawnSync('npm', ['start', '--silent'], {
      cwd: root,
      encoding: 'utf8',
      shell: true,
    });

    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.include('2 bugs of examples/workerpool were found');
  });
});
