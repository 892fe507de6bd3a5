/**
 * The programs of the differential test: compiled plainly, with the transformer under the project's
 * own options, and for the overlay; run in a child process, many at a time.
 */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { compileFile } from '../../transformer/compile.js';
import { instrument } from '../../transformer/instrument.js';

const root = path.join(__dirname, '../../..');
const fixtures = path.join(root, 'test/fixtures/transformer');

/** One set of compiler options. */
export interface Setting {
  readonly name: string;
  readonly format: 'commonjs' | 'module';
  readonly options: ts.CompilerOptions;
  /** The tag that a program must have to be run; programs without a tag run in all the others. */
  readonly tag?: string;
}

export interface Program {
  readonly name: string;
  readonly text: string;
  /** From the first line: `// @options tag`. */
  readonly tag: string | undefined;
}

export type Variant = 'plain' | 'transformed' | 'overlay';

/** All programs, in order of name. */
export function readPrograms(): Program[] {
  const folder = path.join(fixtures, 'programs');
  return fs.readdirSync(folder).map((name) => {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    return { name, text, tag: /^\/\/ @options (\w+)/.exec(text)?.[1] };
  });
}

/** A folder outside of the project in which `detsim` and the test libraries can be loaded. */
export function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-transformer-'));
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(modules);
  fs.symlinkSync(root, path.join(modules, 'detsim'));
  for (const name of ['sinon', 'typescript', 'ts-node', 'ts-patch', '@types']) {
    fs.symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
  return folder;
}

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly file: string;
  readonly topLevelAwait: boolean;
}

/** Compiles and runs programs; what each variant has logged, by program. */
export function runPrograms(
  folder: string,
  setting: Setting,
  programs: readonly Program[],
): Map<string, Record<Variant, string[]>> {
  const out = path.join(folder, setting.name.replace(/\W+/g, '-'));
  fs.mkdirSync(out);
  const jobs = programs.flatMap((program) => [
    ...compilePlain(out, setting, program, 'plain'),
    ...compilePlain(out, setting, program, 'transformed'),
    compileOverlay(out, setting, program),
  ]);
  const list = path.join(out, 'jobs.json');
  fs.writeFileSync(list, JSON.stringify(jobs));
  const printed = execFileSync(
    process.execPath,
    ['--no-warnings', path.join(fixtures, 'run-programs.cjs'), list],
    { encoding: 'utf8', maxBuffer: 1 << 26, timeout: 60_000, killSignal: 'SIGKILL' },
  );
  const outputs = JSON.parse(printed) as Record<string, string[]>;
  return new Map(
    programs.map(({ name }) => [
      name,
      {
        plain: outputs[`${name} plain`] ?? [],
        transformed: outputs[`${name} transformed`] ?? [],
        overlay: outputs[`${name} overlay`],
      },
    ]),
  );
}

/** What the compiler makes of a program by itself, or with the transformer in front. */
function compilePlain(
  out: string,
  { format, options }: Setting,
  { name, text }: Program,
  variant: 'plain' | 'transformed',
): Job[] {
  const isModule = format === 'module';
  const file = path.join(out, `${name}.${variant}${isModule ? '.mjs' : '.cjs'}`);
  const job = { id: `${name} ${variant}`, kind: format, file, topLevelAwait: false };
  if (name.endsWith('.js')) {
    // Plain Node runs it as it is; no compiler, and so no transformer, comes into it.
    if (variant === 'transformed') return [];
    fs.writeFileSync(file, text);
    return [job];
  }
  const before: ts.TransformerFactory<ts.SourceFile> = (context) => (source) =>
    instrument(ts, context, source, { path: name, stub: true, format }).file;
  const { outputText } = ts.transpileModule(text, {
    fileName: name,
    compilerOptions: {
      ...options,
      module: isModule ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS,
      jsx: ts.JsxEmit.React,
    },
    transformers: { before: variant === 'transformed' ? [before] : [] },
  });
  fs.writeFileSync(file, outputText);
  return [job];
}

function compileOverlay(out: string, { format, options }: Setting, { name, text }: Program): Job {
  const file = path.join(out, `${name}.overlay.cjs`);
  const { code, topLevelAwait, diagnostics } = compileFile({
    file: path.join(out, name),
    text,
    path: name,
    options: { ...options, jsx: ts.JsxEmit.React },
    format,
    stub: true,
  });
  if (diagnostics.length > 0) throw new Error(`${name}: ${JSON.stringify(diagnostics)}`);
  fs.writeFileSync(file, code);
  return { id: `${name} overlay`, kind: `overlay-${format}`, file, topLevelAwait };
}
