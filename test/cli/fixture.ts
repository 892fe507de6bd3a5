/**
 * Small projects for end-to-end tests: copies of test/fixtures/cli with packages linked in, and
 * detsim run in them as a user does.
 */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '../../..');
const bin = path.join(root, 'dist/cli/bin.js');
const temporary: string[] = [];

/**
 * Copies a fixture to a folder of its own, which is removed when the tests end.
 * @param packages what it uses beside mocha and detsim
 */
export function copyFixture(name: string, packages: readonly string[] = []): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `detsim-cli-${name}-`)));
  temporary.push(folder);
  fs.cpSync(path.join(root, 'test/fixtures/cli', name), folder, { recursive: true });
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(path.join(modules, '.bin'), { recursive: true });
  for (const one of ['mocha', '@types', 'undici-types', 'typescript', ...packages]) {
    fs.symlinkSync(path.join(root, 'node_modules', one), path.join(modules, one), 'junction');
  }
  fs.symlinkSync(root, path.join(modules, 'detsim'), 'junction');
  fs.symlinkSync('../mocha/bin/mocha.js', path.join(modules, '.bin/mocha'));
  return folder;
}

after(() => {
  for (const folder of temporary) fs.rmSync(folder, { recursive: true, force: true });
});

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts detsim in a folder. @param flags of Node itself */
export function startCli(
  folder: string,
  args: readonly string[],
  flags: readonly string[] = [],
): ChildProcess {
  return spawn(process.execPath, [...flags, bin, ...args], {
    cwd: folder,
    env: plainEnvironment(),
  });
}

/** Runs detsim in a folder to its end. */
export function runCli(folder: string, ...args: string[]): Promise<Ran> {
  return ended(startCli(folder, args));
}

export function ended(child: ChildProcess): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** Pastes a line into a shell. */
export function runShell(folder: string, line: string): Promise<Ran> {
  return ended(spawn('sh', ['-c', line], { cwd: folder, env: plainEnvironment() }));
}

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const listed = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return listed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child);
}

/** As a pipeline has it: no colours, no terminal, nothing of the mocha that runs these tests. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, NO_COLOR: '1' };
}
