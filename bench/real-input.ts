/**
 * Runs the rules over well-known packages, and writes docs/check-real-input.md: how many of the
 * diagnostics are right. They were read by hand once; the verdicts are in real-input/judged.json.
 *
 *     npm i --ignore-scripts --prefix FOLDER ioredis bullmq … @types/node
 *     node dist/bench/real-input.js FOLDER [package…]
 */

import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { CheckDiagnostic } from '../cli/check/diagnostic.js';
import { runRules } from '../cli/check/run.js';
import { PACKAGES, sourcesOf } from './real-input/packages.js';
import { renderPage, type Judged, type PackageResult, type Verdict } from './real-input/page.js';

const root = path.join(__dirname, '../..');
const judgedFile = path.join(root, 'bench/real-input/judged.json');

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  esModuleInterop: true,
  strict: true,
  allowJs: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};

function checkPackage(folder: string, name: string, judged: readonly Judged[]): PackageResult {
  const base = path.join(folder, 'node_modules', name);
  const manifest = path.join(base, 'package.json');
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  const files = PACKAGES[name]!.flatMap((part) => sourcesOf(path.join(base, part)));
  const wanted = new Set(files);
  const target = { options: OPTIONS, rootNames: files, isWanted: (f: string) => wanted.has(f) };
  const { diagnostics } = runRules(base, [target]);
  const verdicts = diagnostics.map((one) => verdictOn(name, one, judged));
  return { name, version, files: files.length, verdicts };
}

function verdictOn(name: string, one: CheckDiagnostic, judged: readonly Judged[]): Verdict {
  const text = one.lineText.trim().slice(0, 160);
  const known = judged.find(
    (entry) =>
      entry.package === name &&
      entry.code === one.rule.code &&
      entry.file === one.file &&
      entry.text === text,
  );
  return known?.verdict ?? 'not judged';
}

function main([folder, ...names]: readonly string[]): void {
  if (folder === undefined) throw new Error('name the folder in which the packages are installed');
  const judged = JSON.parse(fs.readFileSync(judgedFile, 'utf8')) as Judged[];
  const wanted = names.length === 0 ? Object.keys(PACKAGES) : names;
  const results = wanted.map((name) => {
    const result = checkPackage(path.resolve(folder), name, judged);
    const open = result.verdicts.filter((one) => one === 'not judged').length;
    console.log(`${name} ${result.version}: ${result.verdicts.length}, ${open} not judged`);
    return result;
  });
  if (names.length > 0) return;
  fs.writeFileSync(path.join(root, 'docs/check-real-input.md'), renderPage(results, judged));
}

if (require.main === module) main(process.argv.slice(2));
