/** A copy of the fixture project, and `detsim check` in it. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkCommand, type CheckFlags } from '../../cli/commands/check.js';

const repository = path.join(__dirname, '../../..');
const bin = path.join(repository, 'dist/cli/bin.js');

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr?: string;
}

/** A fresh copy of the project, with the types of Node. */
export function copyProject(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-check-')));
  fs.cpSync(path.join(repository, 'test/fixtures/check-command'), folder, { recursive: true });
  fs.symlinkSync(
    path.join(repository, 'node_modules'),
    path.join(folder, 'node_modules'),
    'junction',
  );
  return folder;
}

/** Runs the command in this process: starting one takes longer than the check. */
export function check(folder: string, ...args: string[]): Result {
  const cwd = process.cwd();
  const { write } = process.stdout;
  let stdout = '';
  process.chdir(folder);
  process.env.NO_COLOR = '1';
  process.stdout.write = ((text: string) => (stdout += text) !== '') as typeof write;
  try {
    const { patterns, flags } = parse(args);
    return { status: checkCommand(patterns, flags, '1.2.3'), stdout };
  } finally {
    process.stdout.write = write;
    process.chdir(cwd);
  }

  function parse(words: string[]): { patterns: string[]; flags: CheckFlags } {
    const flags: Record<string, unknown> = { format: 'pretty' };
    const patterns: string[] = [];
    for (const word of words) {
      const [, name, value] = /^--([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
      if (name === undefined) patterns.push(word);
      else flags[name.replace(/-(\w)/g, (_, c: string) => c.toUpperCase())] = valueOf(name, value);
    }
    return { patterns, flags: flags as unknown as CheckFlags };
  }

  function valueOf(name: string, value: string | undefined): unknown {
    return name === 'max-warnings' ? Number(value) : (value ?? true);
  }
}

/** The command in a process of its own, as a user runs it. */
export function checkInProcess(folder: string, ...args: string[]): Result {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'check', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', GITHUB_WORKSPACE: undefined },
  });
  return { status, stdout, stderr };
}

export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly fixable: boolean;
}

/** `file:line:column code` of each diagnostic of the json format. */
export function places(stdout: string): string[] {
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: JsonDiagnostic[] };
  return diagnostics.map((one) => `${one.file}:${one.line}:${one.column} ${one.code}`);
}
