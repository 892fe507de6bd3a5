/**
 * The process that type-checks a project beside the compile.
 *
 * It does what `tsc --noEmit --incremental` does, once for each tsconfig, with the state kept in
 * the overlay. Referenced projects are seen through their sources, so nothing has to be built
 * first.
 */

import Module from 'node:module';
import path from 'node:path';
import type TypeScript from 'typescript';

/** What the parent asks for. */
export interface CheckJob {
  readonly root: string;
  /** Absolute paths of the tsconfig files, the root's first. */
  readonly tsconfigs: readonly string[];
  /** The module to load as TypeScript: the project's own where it has an API. */
  readonly typescript: string;
  /** The folder for the state between runs. */
  readonly stateFolder: string;
  /** Whether to print as on a terminal. */
  readonly pretty: boolean;
}

/** What it answers. */
export interface CheckAnswer {
  readonly errors: number;
  /** The diagnostics as tsc prints them; empty when there are none. */
  readonly text: string;
}

if (process.send !== undefined && require.main === module) {
  // Most of a short check is the compiler's own start; Node 22 and later can keep its compiled
  // code.
  (Module as { enableCompileCache?: () => void }).enableCompileCache?.();
  process.send(runCheck(JSON.parse(process.argv[2]!) as CheckJob), () => process.disconnect());
}

/** Checks every project of a job. */
export function runCheck(job: CheckJob): CheckAnswer {
  const ts = require(job.typescript) as typeof TypeScript;
  const diagnostics = job.tsconfigs.flatMap((file, i) =>
    checkProject(ts, file, path.join(job.stateFolder, `check-${i}.tsbuildinfo`)),
  );
  const sorted = ts.sortAndDeduplicateDiagnostics(diagnostics);
  const host: TypeScript.FormatDiagnosticsHost = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => job.root,
    getNewLine: () => '\n',
  };
  const text = job.pretty
    ? ts.formatDiagnosticsWithColorAndContext(sorted, host)
    : ts.formatDiagnostics(sorted, host);
  const errors = sorted.filter((one) => one.category === ts.DiagnosticCategory.Error).length;
  return { errors, text: text.trimEnd() };
}

/**
 * The editor's way of seeing referenced projects; the declaration of a compiler host leaves it out.
 */
interface HostOfSources extends TypeScript.CompilerHost {
  useSourceOfProjectReferenceRedirect(): boolean;
}

function checkProject(
  ts: typeof TypeScript,
  tsconfig: string,
  stateFile: string,
): readonly TypeScript.Diagnostic[] {
  const problems: TypeScript.Diagnostic[] = [];
  const configHost: TypeScript.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (one) => problems.push(one),
  };
  const overrides: TypeScript.CompilerOptions = {
    noEmit: true,
    incremental: true,
    composite: false,
    emitDeclarationOnly: false,
    tsBuildInfoFile: stateFile,
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(tsconfig, overrides, configHost);
  if (parsed === undefined) return problems;
  if (parsed.fileNames.length === 0) return problems;
  const host = ts.createIncrementalCompilerHost(parsed.options) as HostOfSources;
  host.useSourceOfProjectReferenceRedirect = () => true;
  const program = ts.createIncrementalProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(parsed),
    projectReferences: parsed.projectReferences,
    host,
  });
  problems.push(...program.getConfigFileParsingDiagnostics(), ...program.getSyntacticDiagnostics());
  // As tsc: without valid syntax and options the types say little.
  if (problems.length === 0) {
    problems.push(...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics());
    if (problems.length === 0) problems.push(...program.getSemanticDiagnostics());
  }
  problems.push(...program.emit().diagnostics);
  return problems;
}
