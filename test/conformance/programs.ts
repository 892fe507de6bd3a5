/**
 * The programs of the conformance suite: which there are, and what each logs in each way.
 *
 * A program is a file of test/fixtures/conformance/programs. It is compiled as CommonJS and as an
 * ES module, and where it has async functions, as packages are published for older engines; it runs
 * on plain Node, instrumented outside a simulation, and instrumented inside one. Its first line may
 * restrict it: `// only: module`, `// alone` (a process of its own), `// not lowered`.
 */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { loadConfig } from '../../cli/config.js';
import { Overlay } from '../../cli/overlay/overlay.js';
import { Project } from '../../cli/overlay/project.js';
import type { Logged, Way } from './child.js';

/** What is instrumented: TypeScript, or the JavaScript that a compiler has made of it. */
export const FORMATS = ['commonjs', 'module', 'es2015', 'es5'] as const;
export type Format = (typeof FORMATS)[number];

const TARGETS: Readonly<Record<Format, ts.ScriptTarget>> = {
  commonjs: ts.ScriptTarget.ES2022,
  module: ts.ScriptTarget.ES2022,
  es2015: ts.ScriptTarget.ES2015,
  es5: ts.ScriptTarget.ES5,
};
/** For older engines a program is compiled twice, the second time by detsim. */
const isLowered = (format: Format): boolean => format === 'es2015' || format === 'es5';

/** The ways in which instrumented programs run. */
export const INSTRUMENTED: readonly Way[] = ['outside', 'native', 'any'];

export interface Program {
  readonly name: string;
  readonly text: string;
  readonly formats: readonly Format[];
  /** Whether it needs a process of its own. */
  readonly alone: boolean;
}

const folder = path.join(__dirname, '../../../test/fixtures/conformance/programs');
const childScript = path.join(__dirname, 'child.js');
/** So many processes at a time. */
const PROCESSES = 2;
/** A child that takes longer than this hangs, in milliseconds. */
const PATIENCE = 60_000;

/** All programs, by name. */
export function listPrograms(): Program[] {
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()
    .map((file) => {
      const text = fs.readFileSync(path.join(folder, file), 'utf8');
      const [first] = text.split('\n', 1);
      const only = /only: (commonjs|module)/.exec(first)?.[1] as Format | undefined;
      const lowers = /\bawait\b/.test(text) && !/\bnot lowered\b/.test(first);
      const formats = FORMATS.filter(
        (format) => (only ?? format) === format && (lowers || !isLowered(format)),
      );
      const alone = /^\/\/.*\balone\b/.test(first);
      return { name: path.basename(file, '.ts'), text, formats, alone };
    });
}

/** What a program has logged, or why it has not. */
export type Outcome = { readonly lines: readonly string[] } | { readonly failure: string };

/** Outcomes by {@link keyOf}. */
export type Outcomes = Map<string, Outcome>;

export function keyOf(name: string, format: Format, way: Way): string {
  return `${name} ${format} ${way}`;
}

/**
 * Compiles all programs in a folder of their own, runs them in every way, and removes the folder.
 */
export async function runPrograms(programs: readonly Program[]): Promise<Outcomes> {
  const work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-conformance-')));
  try {
    for (const format of FORMATS) prepare(work, format, programs);
    const outcomes: Outcomes = new Map();
    const jobs = jobsOf(programs);
    const worker = async (): Promise<void> => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        await runJob(work, job, outcomes);
      }
    };
    await Promise.all(Array.from({ length: PROCESSES }, worker));
    return outcomes;
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** A process: programs that run one after another in one way. */
interface Job {
  readonly way: Way;
  readonly format: Format;
  readonly names: readonly string[];
}

/** The slowest first: on plain Node and outside a simulation programs really wait. */
function jobsOf(programs: readonly Program[]): Job[] {
  const jobs: Job[] = [];
  for (const way of ['plain', ...INSTRUMENTED] as const) {
    for (const format of FORMATS) {
      const chosen = programs.filter(({ formats }) => formats.includes(format));
      const together = chosen.filter(({ alone }) => !alone).map(({ name }) => name);
      if (together.length > 0) jobs.push({ way, format, names: together });
      for (const { name, alone } of chosen) if (alone) jobs.push({ way, format, names: [name] });
    }
  }
  return jobs;
}

/** Two projects, one for each format, each with the plain programs beside the sources. */
function prepare(work: string, format: Format, programs: readonly Program[]): void {
  const root = path.join(work, format);
  const src = path.join(root, 'src');
  const plain = path.join(root, 'plain');
  fs.mkdirSync(src, { recursive: true });
  fs.mkdirSync(plain);
  const compilerOptions = {
    target: TARGETS[format],
    module: format === 'module' ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS,
    esModuleInterop: true,
    strict: true,
    downlevelIteration: true,
  };
  const tsconfig = {
    compilerOptions: { target: 'es2022', module: 'nodenext', esModuleInterop: true, strict: true },
  };
  fs.writeFileSync(path.join(root, 'tsconfig.json'), JSON.stringify(tsconfig));
  const type = format === 'module' ? 'module' : 'commonjs';
  fs.writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name: 'x', type }));
  for (const { name, text, formats } of programs) {
    if (!formats.includes(format)) continue;
    const { outputText } = ts.transpileModule(text, { compilerOptions });
    fs.writeFileSync(sourceFile(work, format, name), isLowered(format) ? outputText : text);
    fs.writeFileSync(plainFile(work, format, name), outputText);
  }
  compileOverlay(root, src);
}

/** Fills the overlay, so that the children find everything compiled. */
function compileOverlay(root: string, src: string): void {
  const overlay = new Overlay(new Project(root, loadConfig(root).config));
  for (const file of fs.readdirSync(src)) overlay.get(path.join(src, file));
}

function plainFile(work: string, format: Format, name: string): string {
  const extension = format === 'module' ? 'mjs' : 'cjs';
  return path.join(work, format, 'plain', `${name}.${extension}`);
}

/** What is instrumented. */
function sourceFile(work: string, format: Format, name: string): string {
  return path.join(work, format, 'src', `${name}.${isLowered(format) ? 'js' : 'ts'}`);
}

function runJob(work: string, job: Job, outcomes: Outcomes): Promise<void> {
  const { way, format } = job;
  const files = job.names.map((name) =>
    (way === 'plain' ? plainFile : sourceFile)(work, format, name),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [childScript, way, ...files], { timeout: PATIENCE });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const line of output.split('\n').filter((text) => text.startsWith('{'))) {
        const { file, lines } = JSON.parse(line) as Logged;
        const name = path.basename(file, path.extname(file));
        outcomes.set(keyOf(name, format, way), { lines });
      }
      const missing = job.names.filter((name) => !outcomes.has(keyOf(name, format, way)));
      missing.forEach((name, i) => {
        const failure =
          i === 0
            ? `the process ended (${signal ?? code}): ${errors.trim()}`
            : `the process ended before, in ${missing[0]}`;
        outcomes.set(keyOf(name, format, way), { failure });
      });
      resolve();
    });
  });
}
