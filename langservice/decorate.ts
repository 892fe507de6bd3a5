/**
 * The language service with what detsim knows added to its answers.
 *
 * Each answer is the host's own first; ours is appended, and left out when it fails.
 */

import type ts from 'typescript';
import { toDiagnostic } from '../transformer/analyzer/check/index.js';
import type { TypeScript } from '../transformer/analyzer/index.js';
import { findingsOf, ruleNumbers } from './findings.js';
import { codeFixesAt, fixAll } from './fixes.js';
import { withHover } from './hover.js';
import { ownPart, type Log } from './own-part.js';

/** Marks a service that is decorated, also for another copy of this module. */
const MARK = Symbol.for('detsim.langservice');

/** Whether a service has been decorated already. */
export function isDecorated(service: ts.LanguageService): boolean {
  return MARK in service;
}

/** A service that answers as `service` does, and with what detsim adds. */
export function decorate(
  ts: TypeScript,
  service: ts.LanguageService,
  log: Log,
): ts.LanguageService {
  const own = <T>(what: string, part: () => T): T | undefined => ownPart(ts, log, what, part);
  const sourceFile = (name: string): { program: ts.Program; file: ts.SourceFile } | undefined => {
    const program = service.getProgram();
    const file = program?.getSourceFile(name);
    return program && file && { program, file };
  };

  const added: Partial<ts.LanguageService> = {
    getSemanticDiagnostics(name) {
      const answer = service.getSemanticDiagnostics(name);
      const ours = own('finding what cannot be intercepted', () => {
        const found = sourceFile(name);
        if (found === undefined) return [];
        const { program, file } = found;
        return findingsOf(ts, program, file).map((one) => toDiagnostic(ts, file, one));
      });
      return ours === undefined || ours.length === 0 ? answer : [...answer, ...ours];
    },

    getQuickInfoAtPosition(name, position, ...rest) {
      const answer = service.getQuickInfoAtPosition(name, position, ...rest);
      const ours = own('hovering', () => {
        const found = sourceFile(name);
        return found && withHover(ts, found.program, found.file, position, answer);
      });
      return ours ?? answer;
    },

    getCodeFixesAtPosition(name, start, end, codes, ...rest) {
      const ours = own('offering fixes', () => {
        const found = sourceFile(name);
        return found && codeFixesAt(ts, found.program, found.file, start, end, codes);
      });
      if (ours === undefined)
        return service.getCodeFixesAtPosition(name, start, end, codes, ...rest);
      const others = codes.filter((code) => !ours.codes.has(code));
      if (others.length === 0) return ours.fixes;
      const answer = service.getCodeFixesAtPosition(name, start, end, others, ...rest);
      return [...answer, ...ours.fixes];
    },

    getCombinedCodeFix(scope, fixId, ...rest) {
      const ours = own('fixing a file', () => {
        const found = sourceFile(scope.fileName);
        return found && fixAll(ts, found.program, found.file, fixId);
      });
      return ours ?? service.getCombinedCodeFix(scope, fixId, ...rest);
    },

    getSupportedCodeFixes(name) {
      const answer = service.getSupportedCodeFixes(name);
      const ours = own('naming its codes', () => ruleNumbers().map(String));
      return [...answer, ...(ours ?? [])];
    },
  };
  return Object.assign(Object.create(service) as ts.LanguageService, service, added, {
    [MARK]: true,
  });
}
