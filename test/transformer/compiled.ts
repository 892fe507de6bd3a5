/**
 * Compiles source text for the overlay, and runs it against the real runtime or a recording one.
 */

import path from 'node:path';
import vm from 'node:vm';
import ts from 'typescript';
import { compileFile, type CompileInput, type CompileResult } from '../../transformer/compile.js';

/** Compiles `text` as the file /project/src/sample.ts. */
export function compile(text: string, changes: Partial<CompileInput> = {}): CompileResult {
  return compileFile({
    file: '/project/src/sample.ts',
    path: 'src/sample.ts',
    text,
    options: { target: ts.ScriptTarget.ES2022 },
    format: 'commonjs',
    stub: false,
    ...changes,
  });
}

/** The sites of compiled text, each as `kind line:column fn text`. */
export function sitesOf({ code }: CompileResult): string[] {
  const start = code.indexOf('$d.file(');
  if (start === -1) return [];
  const end = code.indexOf(';\n', start);
  const table = vm.runInNewContext(
    `const $d = { file: (path, sites) => sites }; ${code.slice(start, end)}`,
  ) as [string, number, number, string, string][];
  return table.map(([kind, line, column, fn, text]) => `${kind} ${line}:${column} ${fn} ${text}`);
}

/** What a hook was called for: its name and the index of its site, if it has one. */
export type Call = [hook: string, site?: number];

/** A runtime whose hooks do nothing but to record that they were called. */
export function recordingRuntime(calls: Call[]): Record<string, unknown> {
  const pass =
    (hook: string) =>
    (value: unknown, site?: number): unknown => (calls.push([hook, site]), value);
  const empty = (hook: string) => (): unknown[] => (calls.push([hook]), []);
  const frame = {
    suspend: pass('suspend'),
    resume: pass('resume'),
    leave: pass('leave'),
    iterate: pass('iterate'),
    direct: pass('direct'),
    noArgs: empty('noArgs'),
    exit: (): void => void calls.push(['exit']),
  };
  return {
    file: () => 0,
    enter: (site: number) => (calls.push(['enter', site]), frame),
    react: (receiver: any, method: string, site: number, ...args: unknown[]): unknown => {
      calls.push([method, site]);
      return receiver[method](...args);
    },
    at: (site: number, value: unknown): unknown => (calls.push(['at', site]), value),
    atNone: (site: number): unknown[] => (calls.push(['atNone', site]), []),
    clear: pass('clear'),
    noArgs: empty('clearNone'),
    tag: pass('tag'),
  };
}

/** Evaluates compiled text; a module with top-level await gives a promise of its exports. */
export function evaluate(
  { code, topLevelAwait }: CompileResult,
  modules: Record<string, unknown> = {},
  filename = '/project/src/sample.js',
): any {
  const load = (specifier: string): unknown =>
    specifier in modules
      ? modules[specifier]
      : specifier === 'detsim/runtime'
        ? require('../../runtime/index.js')
        : require(specifier);
  const names = ['exports', 'require', 'module', '__filename', '__dirname', '$import'];
  const text = topLevelAwait ? `return (async () => {${code}\n})()` : code;
  const run = vm.compileFunction(text, names, { filename });
  const module = { exports: {} };
  const dynamic = async (specifier: string): Promise<unknown> => load(specifier);
  const { dirname } = path;
  const result = run(module.exports, load, module, filename, dirname(filename), dynamic);
  return topLevelAwait ? result.then(() => module.exports) : module.exports;
}
