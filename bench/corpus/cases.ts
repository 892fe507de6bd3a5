/**
 * The cases of a corpus: which there are, and a copy of each that is ready to be swept.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface Case {
  /** The name of its folder. */
  readonly name: string;
  /** The first line of its note, for people. */
  readonly title: string;
  /** What real I/O the test or the package does: `none`, or for instance `fs, streams`. */
  readonly io: string;
  /** Where the corpus has it; never written to. */
  readonly source: string;
  /** Where it is swept. */
  readonly folder: string;
}

/** All cases, in the order of their names. */
export function findCases(corpus: string, work: string): Case[] {
  const cases: Case[] = [];
  for (const name of fs.readdirSync(corpus).sort()) {
    const noteFile = path.join(corpus, name, 'NOTE.md');
    if (!fs.existsSync(noteFile)) continue;
    const note = fs.readFileSync(noteFile, 'utf8');
    const title = /^# (.*)$/m.exec(note)?.[1] ?? name;
    const io = /^io: (.*)$/m.exec(note)?.[1] ?? 'none';
    cases.push({ name, title, io, source: path.join(corpus, name), folder: path.join(work, name) });
  }
  return cases;
}

/** Copies a case to its work folder and installs it there, unless that has been done. */
export function prepareCase({ name, source, folder }: Case): void {
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  const same =
    fs.existsSync(path.join(folder, 'package.json')) &&
    read(path.join(source, 'package.json')) === read(path.join(folder, 'package.json'));
  for (const entry of fs.readdirSync(source)) {
    if (entry === 'node_modules') continue;
    fs.cpSync(path.join(source, entry), path.join(folder, entry), { recursive: true });
  }
  if (same && fs.existsSync(installed)) return;
  console.log(`installing ${name}`);
  const result = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`npm install of ${name} failed: ${result.stderr}`);
}

function read(file: string): string {
  return fs.readFileSync(file, 'utf8');
}
