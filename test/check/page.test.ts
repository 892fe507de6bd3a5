/**
 * The programs in docs/linearizability.md compile, and print what stands below them.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import * as detsim from '../../index.js';

const root = path.join(__dirname, '..', '..', '..');
const page = fs.readFileSync(path.join(root, 'docs', 'linearizability.md'), 'utf8');
const programs = [...page.matchAll(/^```ts\n([^]*?)^```\n\n```text\n([^]*?)^```$/gm)];

/** Compiles programs against the built declarations; throws what the compiler complains of. */
function compile(sources: readonly string[]): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
    paths: { detsim: [path.join(root, 'dist', 'index.d.ts')] },
  };
  const nameOf = (i: number) => path.join(root, `page-${i}.ts`);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const textOf = (name: string) => sources.find((_, i) => path.resolve(name) === nameOf(i));
  host.fileExists = (name) => textOf(name) !== undefined || fileExists(name);
  host.readFile = (name) => textOf(name) ?? readFile(name);
  host.getSourceFile = (name, version) => {
    const text = textOf(name);
    if (text === undefined) return getSourceFile(name, version);
    return ts.createSourceFile(name, text, version);
  };
  const names = sources.map((_, i) => nameOf(i));
  const program = ts.createProgram(names, options, host);
  const complaints = names.flatMap((name) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(name)),
  );
  expect(ts.formatDiagnostics(complaints, host)).to.equal('');
  return names.map((name) => {
    let script = '';
    program.emit(program.getSourceFile(name), (_, text) => (script = text));
    return script;
  });
}

function run(script: string): string {
  const lines: string[] = [];
  const print = { log: (line: string) => void lines.push(line) };
  const load = (name: string) => (name === 'detsim' ? detsim : require(name));
  new Function('require', 'exports', 'console', script)(load, {}, print);
  return lines.map((line) => `${line}\n`).join('');
}

describe('docs/linearizability.md', function () {
  this.timeout(60_000);

  it('has programs that compile, and print what stands below them', () => {
    expect(programs).to.have.length(2);
    const scripts = compile(programs.map(([, source]) => source));
    expect(scripts.map(run)).to.deep.equal(programs.map(([, , output]) => output));
  });
});
