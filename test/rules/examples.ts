/**
 * The example file of each rule, and what its golden output says: for each diagnostic the text, the
 * range, severity and message, and each fix as a diff of lines.
 */

import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { checkFile, type Finding, type Fix } from '../../transformer/analyzer/check/index.js';

export const folder = path.join(__dirname, '../../../test/fixtures/rules');

/** A program of the example files, and of further files that exist in memory only. */
export function programOf(more: ReadonlyMap<string, string> = new Map()): ts.Program {
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(
    path.join(folder, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )!;
  const host = ts.createCompilerHost(options, true);
  const { readFile, fileExists } = host;
  host.readFile = (name) => more.get(name) ?? readFile(name);
  host.fileExists = (name) => more.has(name) || fileExists(name);
  return ts.createProgram([...fileNames, ...more.keys()], options, host);
}

export function outputOf(program: ts.Program, name: string): string {
  const file = program.getSourceFile(path.join(folder, name))!;
  return checkFile(ts, program, file)
    .map((finding) => describeFinding(file, finding))
    .join('\n');
}

function describeFinding(file: ts.SourceFile, finding: Finding): string {
  const { rule, start, end, message, fixes } = finding;
  const text = file.text.slice(start, end).split('\n').join('\n    ');
  const range = `${position(file, start)}-${position(file, end)}`;
  const head = `${text}\n  ${range} ${rule.severity} ${rule.code} ${message}\n`;
  return head + fixes.map((fix) => describeFix(file, fix)).join('');
}

function position(file: ts.SourceFile, offset: number): string {
  const { line, character } = file.getLineAndCharacterOfPosition(offset);
  return `${line + 1}:${character + 1}`;
}

function describeFix(file: ts.SourceFile, fix: Fix): string {
  const before = file.text.split('\n');
  const after = applyFix(file.text, fix).split('\n');
  while (before.length > 0 && before[0] === after[0]) (before.shift(), after.shift());
  while (before.length > 0 && before.at(-1) === after.at(-1)) (before.pop(), after.pop());
  const lines = [
    ...before.map((line) => `      - ${line}`),
    ...after.map((line) => `      + ${line}`),
  ];
  return `    fix${fix.safe ? ' (safe)' : ''}: ${fix.title}\n${lines.join('\n')}\n`;
}

export function applyFix(text: string, { edits }: Fix): string {
  let result = text;
  for (const { start, end, text: inserted } of [...edits].sort((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + inserted + result.slice(end);
  }
  return result;
}

export function goldenFile(name: string): string {
  return path.join(folder, name.replace(/\.[cm]?tsx?$/, '.output'));
}

/** Names of the example files. */
export function exampleNames(): string[] {
  return fs.readdirSync(folder).filter((name) => /\.[cm]?tsx?$/.test(name));
}

/** `node dist/test/rules/examples.js` writes the golden output anew. */
if (require.main === module) {
  const program = programOf();
  for (const name of exampleNames()) fs.writeFileSync(goldenFile(name), outputOf(program, name));
}
