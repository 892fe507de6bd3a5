/**
 * The type check, seen from the compile: run in a process of its own, so that it uses another core,
 * and not at all where nothing it depends on has changed since the last one.
 */

import { fork } from 'node:child_process';
import path from 'node:path';
import type { CheckAnswer, CheckJob } from './check-process.js';
import {
  contentHash,
  hashOf,
  isInside,
  readdirSync,
  readJsonIfAny,
  writeAtomically,
} from './disk.js';
import { typescriptVersionOf, type Project } from './project.js';

/** A check that is running, or whose result is known. */
export interface CheckRun {
  readonly result: Promise<CheckAnswer>;
  /** Ends the check; its result is then that of a check without errors. */
  stop(): void;
}

interface LastCheck {
  readonly key: string;
  readonly answer: CheckAnswer;
}

type Answered = CheckAnswer | 'stopped';

export class TypeCheck {
  private process: { readonly answer: Promise<Answered>; readonly stop: () => void } | undefined;

  /** @param pretty whether diagnostics are meant for a terminal */
  constructor(
    private readonly project: Project,
    private readonly pretty: boolean,
  ) {}

  /** Starts the process, when it is already known that something has changed. */
  start(): void {
    this.process ??= runInProcess(jobFor(this.project, this.pretty));
  }

  /**
   * The result of the check that was started, of the last one, or else of one that starts now.
   * @param compiledFiles names of the overlay's entries, which stand for the content of the sources
   */
  run(compiledFiles: readonly string[]): CheckRun {
    const lastFile = path.join(this.project.overlayFolder, 'check.json');
    const key = checkKey(this.project, compiledFiles, this.pretty);
    const last = readJsonIfAny<LastCheck>(lastFile);
    if (this.process === undefined && last?.key === key) {
      return { result: Promise.resolve(last.answer), stop: () => {} };
    }
    this.start();
    const { answer, stop } = this.process!;
    const result = answer.then((one) => {
      if (one === 'stopped') return { errors: 0, text: '' };
      writeAtomically(lastFile, JSON.stringify({ key, answer: one } satisfies LastCheck));
      return one;
    });
    return { result, stop };
  }
}

function jobFor(project: Project, pretty: boolean): CheckJob {
  return {
    root: project.root,
    tsconfigs: project.tsconfigs.map((one) => one.path),
    typescript: compilerFor(project.root),
    stateFolder: project.overlayFolder,
    pretty,
  };
}

/**
 * The project's own compiler, so that the errors are the ones its `tsc` reports; ours where there
 * is none, or none with an API (TypeScript 7).
 */
function compilerFor(root: string): string {
  const major = Number.parseInt(typescriptVersionOf(root) ?? '', 10);
  return major === 5 || major === 6
    ? require.resolve('typescript', { paths: [root] })
    : require.resolve('typescript');
}

function runInProcess(job: CheckJob): { answer: Promise<Answered>; stop: () => void } {
  // The job is an argument: a message would wait for this process, which is about to be busy.
  const child = fork(path.join(__dirname, 'check-process.js'), [JSON.stringify(job)], {
    stdio: 'inherit',
    execArgv: [],
  });
  let stopped = false;
  const answer = new Promise<Answered>((resolve, reject) => {
    child.once('message', (message: CheckAnswer) => resolve(message));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (stopped) resolve('stopped');
      else reject(new Error(`the process that checks types ended by itself (exit code ${code})`));
    });
  });
  const stop = (): void => {
    stopped = true;
    child.kill();
  };
  return { answer, stop };
}

/** What the result of a check depends on, as far as it can be seen without TypeScript. */
function checkKey(project: Project, compiledFiles: readonly string[], pretty: boolean): string {
  const { root } = project;
  const listed = project.tsconfigs.flatMap((one) => one.files);
  const declarations = listed.filter((file) => !project.isInstrumented(file));
  const locks = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'];
  const installed = [...locks, 'package.json', 'node_modules/.package-lock.json'];
  return hashOf(
    'check 1',
    String(pretty),
    compilerFor(root),
    typescriptVersionOf(root) ?? '',
    ...project.tsconfigs.map((one) => one.optionsId),
    ...[...compiledFiles].sort(),
    ...[...declarations].sort().map(contentHash),
    ...foldersOf(project, listed).map(listing),
    ...installed.map((name) => contentHash(path.join(root, name))),
  );
}

/**
 * The folders with files of the project, up to the folder of a tsconfig: a new file shows there.
 */
function foldersOf(project: Project, files: readonly string[]): string[] {
  const tops = project.tsconfigs.map((one) => path.dirname(one.path));
  const folders = new Set(tops);
  for (const file of files) {
    let folder = path.dirname(file);
    while (!folders.has(folder) && tops.some((top) => isInside(top, folder))) {
      folders.add(folder);
      folder = path.dirname(folder);
    }
  }
  return [...folders].sort();
}

function listing(folder: string): string {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() || /\.(?:[mc]?[jt]s|[jt]sx|json)$/.test(one.name))
      .filter((one) => !one.name.startsWith('.') && one.name !== 'node_modules')
      .map((one) => one.name)
      .sort()
      .join('\n');
  } catch {
    return '';
  }
}
