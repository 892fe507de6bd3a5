'use strict';
/**
 * The transcripts in the docs are what the tool prints: this writes them anew, in place of what
 * stands between `<!-- NAME -->` and `<!-- /NAME -->`. A test checks that they are up to date.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');

/**
 * Page, name of the place in it, the arguments of the command that is shown there, and the example
 * in which it runs, when that is not the worker pool.
 */
const TRANSCRIPTS = [
  { page: 'README.md', name: 'transcript', args: ['sweep'] },
  { page: 'docs/reading-a-finding.md', name: 'finding', args: ['sweep', '--grep=over-admits'] },
  {
    page: 'examples/kv/README.md',
    name: 'transcript',
    args: ['sim', '--mode=kv', '--trials=8', '--checksums=false'],
  },
  {
    page: 'README.md',
    name: 'bank',
    args: ['sweep', '--grep=payment', '--trials=100'],
    example: 'bank',
  },
  {
    page: 'examples/bank/README.md',
    name: 'transcript',
    args: ['sweep', '--trials=100'],
    example: 'bank',
  },
];

/** What is seen in the folder of an example. */
function outputOf({ args, example = 'workerpool' }) {
  const bin = path.join(root, 'dist', 'cli', 'bin.js');
  // What an earlier sweep has found is not run first in this one.
  const folder = path.join(root, 'examples', example);
  fs.rmSync(path.join(folder, '.detsim/seeds.json'), { force: true });
  const { stdout } = spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
    encoding: 'utf8',
  });
  return stdout.trimEnd();
}

/** The pattern of a place in a page: the marks, and what stands between them. */
function placeOf(name) {
  return new RegExp(`(<!-- ${name} -->\n)([^]*?)(<!-- /${name} -->)`);
}

/** What a transcript looks like in its page. */
function render(transcript) {
  const command = `npx detsim ${transcript.args.join(' ')}`;
  return `\n\`\`\`text\n$ ${command}\n${outputOf(transcript)}\n\`\`\`\n\n`;
}

/** What stands in the page now. */
function read({ page, name }) {
  return placeOf(name).exec(fs.readFileSync(path.join(root, page), 'utf8'))[2];
}

/** A transcript without what differs from run to run: how long it took. */
function timeless(text) {
  return text
    .replace(/ in \S+ (?:s|min \d+ s), /, ' in … s, ')
    .replace(/[\d,]+ trials\/s/, '… trials/s');
}

module.exports = { TRANSCRIPTS, render, read, timeless };

if (require.main === module) {
  for (const transcript of TRANSCRIPTS) {
    const fresh = render(transcript);
    if (timeless(fresh) === timeless(read(transcript))) continue;
    const file = path.join(root, transcript.page);
    const text = fs.readFileSync(file, 'utf8');
    const edited = text.replace(
      placeOf(transcript.name),
      (_, start, __, end) => start + fresh + end,
    );
    fs.writeFileSync(file, edited);
    console.log(`${transcript.page}: ${transcript.name} is new`);
  }
}
