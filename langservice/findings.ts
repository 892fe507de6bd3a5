/**
 * What the analyzer's rules find in a file, once for each program, and how an editor shows it.
 *
 * The checker's answers belong to one program: after an edit anywhere the host has a new one, in
 * which a name may stand for something else. So nothing is kept longer.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type ts from 'typescript';
import {
  checkFile,
  diagnosticCode,
  rules,
  type Finding,
} from '../transformer/analyzer/check/index.js';
import type { TypeScript } from '../transformer/analyzer/index.js';

export type { Finding };

const cache = new WeakMap<ts.Program, Map<ts.SourceFile, readonly Finding[]>>();

/** The folder of the page of each rule, in the installed package. */
const DOCS = path.join(__dirname, '../../docs/rules');

/** Whether a file is code of the project, written by people. */
export function isExamined(program: ts.Program, file: ts.SourceFile): boolean {
  return (
    !file.isDeclarationFile &&
    !file.fileName.endsWith('.json') &&
    !file.fileName.includes('/.detsim/') &&
    !program.isSourceFileFromExternalLibrary(file)
  );
}

/** The findings in a file, in order of position. */
export function findingsOf(
  ts: TypeScript,
  program: ts.Program,
  file: ts.SourceFile,
): readonly Finding[] {
  if (!isExamined(program, file)) return [];
  let ofProgram = cache.get(program);
  if (ofProgram === undefined) cache.set(program, (ofProgram = new Map()));
  let found = ofProgram.get(file);
  if (found === undefined) ofProgram.set(file, (found = checkFile(ts, program, file)));
  return found;
}

/** The codes of all rules as TypeScript has them: numbers. */
export function ruleNumbers(): number[] {
  return rules.map(({ code }) => diagnosticCode(code));
}

/** The page of a rule. */
export function docsUrl(code: string): string {
  return pathToFileURL(path.join(DOCS, `${code}.md`)).href;
}

/** Why a finding is one, as Markdown with a link to the rule's page. */
export function explain({ rule, message }: Finding): string {
  const { code, name, why } = rule;
  return `**detsim ${code}**: ${message}\n\n${why}\n\n[${code} ${name}](${docsUrl(code)})`;
}
