/**
 * What of the project's style a program can check, in one pass over the tracked files.
 *
 * Each complaint reads `path:line: what is wrong, what to do`. Rules that need a parser are in
 * eslint.config.mjs.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const root = path.join(__dirname, '..', '..');
const LINE_LENGTH = 100;
const FILE_LINES = 500;

interface TrackedFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

type Rule = (file: TrackedFile) => string[];

const isFixture = (file: TrackedFile) => file.path.startsWith('test/fixtures/');
const isSource = (file: TrackedFile) => /\.[cm]?[jt]s$/.test(file.path) && !isFixture(file);

/** Text that is spelled in two halves here, so that this file does not offend against its rules. */
const WORDS_LEFT_OVER = new RegExp(`\\b(?:${'TO'}DO|${'FIX'}ME|${'XX'}X)\\b`);
const MACHINE_PATHS = new RegExp(`(?<![\\w.-])/(?:${'wo'}rk|${'ro'}ot|${'ho'}me|${'Us'}ers)/\\w`);
const REGISTRY_HOSTS = new RegExp(`${'regis'}try\\.[\\w.-]+\\.\\w|${'npm'}mirror\\.`);

/** A literal alone on its line: text is not broken to fit. */
const LITERAL = /^\s*['"`/].*['"`/gimu][\s;,+)]*$/;

/** In tests only comments count: programs and expected output have the lines that they have. */
const mayBeLong = (file: TrackedFile, line: string) =>
  LITERAL.test(line) || (file.path.startsWith('test/') && !/^\s*(?:\/\/|\/?\*)/.test(line));

const rules: Rule[] = [
  (file) =>
    linesThat(
      file,
      (line) => isSource(file) && line.length > LINE_LENGTH && !mayBeLong(file, line),
      `longer than ${LINE_LENGTH} columns, break it`,
    ),
  (file) =>
    isSource(file) && file.lines.length > FILE_LINES
      ? [`${file.path}:${FILE_LINES}: more than ${FILE_LINES} lines, split it by what it holds`]
      : [],
  (file) => {
    const start = file.text.replace(/^(?:#!.*\n|'use strict';\n)*/, '');
    return isSource(file) && !start.startsWith('/**')
      ? [`${file.path}:1: no opening comment, say the file's job in a paragraph`]
      : [];
  },
  (file) =>
    linesThat(file, (line) => WORDS_LEFT_OVER.test(line), 'work left over, do it or drop it'),
  (file) =>
    linesThat(file, (line) => MACHINE_PATHS.test(line), 'the path of a machine, make it relative'),
  (file) =>
    linesThat(file, (line) => REGISTRY_HOSTS.test(line), 'a registry host, leave it to npm'),
  (file) => (file.path.endsWith('.md') && !isFixture(file) ? oneHeading(file) : []),
];

function linesThat(
  file: TrackedFile,
  offends: (line: string) => boolean,
  complaint: string,
): string[] {
  return file.lines.flatMap((line, i) =>
    offends(line) ? [`${file.path}:${i + 1}: ${complaint}`] : [],
  );
}

/** A page has one heading of the first level, outside its code blocks. */
function oneHeading({ path: name, text }: TrackedFile): string[] {
  const prose = text.replace(/^(```+).*\n[^]*?^\1$/gm, (block) => block.replace(/[^\n]/g, ''));
  const headings = prose.split('\n').flatMap((line, i) => (/^# /.test(line) ? [i + 1] : []));
  if (headings.length === 1) return [];
  return [`${name}:${headings[1] ?? 1}: ${headings.length} first-level headings, have one`];
}

/** The tracked files that hold text, except the lock file and what others have written. */
function trackedFiles(): TrackedFile[] {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  return stdout
    .split('\0')
    .filter((name) => name !== '' && name !== 'package-lock.json' && name !== 'LICENSE')
    .filter((name) => fs.existsSync(path.join(root, name)))
    .map((name) => ({ name, text: fs.readFileSync(path.join(root, name), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'))
    .map(({ name, text }) => ({ path: name, text, lines: text.replace(/\n$/, '').split('\n') }));
}

/**
 * Fixtures that nothing names. A fixture is a project right below test/fixtures/, or what stands in
 * a folder there; it is used when a test or benchmark names it, or when a test lists its folder.
 */
function unusedFixtures(files: readonly TrackedFile[]): string[] {
  const users = files.filter((file) => isSource(file) && /^(?:test|bench)\//.test(file.path));
  const paths = files.filter(isFixture).map((file) => file.path.split('/').slice(2));
  const projects = paths.filter(([, name]) => name === 'package.json').map(([part]) => part);
  const fixtures = new Set(
    paths.map(([part, name]) => (projects.includes(part) ? part! : `${part}/${name}`)),
  );
  return [...fixtures].flatMap((fixture) => {
    const [part, name = part] = fixture.split('/') as [string, string?];
    const stem = name.replace(/\.\w+$/, '');
    const used = users.some(
      ({ path: user, text }) =>
        text.includes(stem) || (user.startsWith(`test/${part}/`) && text.includes('readdirSync')),
    );
    return used ? [] : [`test/fixtures/${fixture}:1: nothing uses it, remove it`];
  });
}

describe('the project', () => {
  it('is tidy', function () {
    this.timeout(20_000);
    const files = trackedFiles();
    expect(files.length).to.be.above(10);

    const complaints = files.flatMap((file) => rules.flatMap((rule) => rule(file)));

    expect([...complaints, ...unusedFixtures(files)].join('\n')).to.equal('');
  });
});
