/**
 * `detsim/transformer`: the transformer for compilers that take one, such as ts-patch (through
 * `compilerOptions.plugins`) and ts-node.
 *
 *     { "compilerOptions": { "plugins": [{ "transform": "detsim/transformer" }] } }
 */

import path from 'node:path';
import type ts from 'typescript';
import type { TypeScript } from './analyzer/index.js';
import { instrument } from './instrument.js';
import { reportFindings } from './report.js';
import { stubMatcher } from './stubs.js';

/** The plugin's entry in tsconfig.json. */
export interface TransformerConfig {
  /**
   * Globs of further files whose promises and timers stand in for I/O, relative to the project's
   * folder. Test files always count: `*.test.*`, `*.spec.*`, and what is in a folder `test`,
   * `tests` or `__tests__`.
   */
  readonly stubs?: readonly string[];
}

/** What a host that runs its own copy of TypeScript passes on. */
export interface TransformerExtras {
  readonly ts: TypeScript;
  /** Takes what the compiler is to report. */
  readonly addDiagnostic?: (diagnostic: ts.Diagnostic) => number;
}

interface ProgramState {
  readonly root: string;
  readonly isStub: (path: string) => boolean;
}

/** Hosts call the factory once per emitted file: what belongs to a program is made once. */
const states = new WeakMap<ts.Program, ProgramState>();

/**
 * Makes the transformer for a program; it belongs in the `before` stage.
 * @param extras the host's TypeScript; the `typescript` package when left out
 */
export default function transformer(
  program: ts.Program,
  config: TransformerConfig = {},
  extras?: TransformerExtras,
): ts.TransformerFactory<ts.SourceFile> {
  const ts = extras?.ts ?? (require('typescript') as TypeScript);
  let state = states.get(program);
  if (state === undefined) states.set(program, (state = createState(program, config)));
  const { root, isStub } = state;
  return (context) => (file) => {
    if (extras !== undefined) reportFindings(extras, program, file.fileName);
    const sitePath = path.relative(root, file.fileName).split(path.sep).join('/');
    const commonjs = emitFormat(program, file) === ts.ModuleKind.CommonJS;
    const header = {
      path: sitePath,
      stub: isStub(sitePath),
      format: commonjs ? ('commonjs' as const) : ('module' as const),
    };
    return instrument(ts, context, file, header).file;
  };
}

function createState(program: ts.Program, config: TransformerConfig): ProgramState {
  const { configFilePath } = program.getCompilerOptions();
  const root =
    typeof configFilePath === 'string'
      ? path.dirname(configFilePath)
      : program.getCurrentDirectory();
  return { root, isStub: stubMatcher(config.stubs) };
}

/** TypeScript has this call on every program since 5.6, though not in its public types. */
function emitFormat(program: ts.Program, file: ts.SourceFile): ts.ModuleKind {
  return (
    program as ts.Program & { getEmitModuleFormatOfFile(file: ts.SourceFile): ts.ModuleKind }
  ).getEmitModuleFormatOfFile(file);
}
