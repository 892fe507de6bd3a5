/**
 * The programs whose awaits are measured, compiled plainly and by detsim.
 *
 * Compiled text is evaluated here without the loader: it imports nothing but detsim's runtime.
 */

import vm from 'node:vm';
import ts from 'typescript';
import * as runtime from '../../runtime/index.js';
import { compileFile } from '../../transformer/compile.js';

/** What both versions export. */
export interface Programs {
  /** Awaits null so many times, and returns a checksum. */
  loop(times: number): Promise<number>;
  /**
   * Tasks that read a counter, wait, and write it: some updates are lost.
   * @returns the counter at the end
   */
  counter(tasks: number, rounds: number, store: Store): Promise<number>;
}

/** A counter behind an asynchronous interface. */
export interface Store {
  read(): Promise<number>;
  write(value: number): Promise<void>;
}

const source = `
export async function loop(times: number): Promise<number> {
  let sum = 0;
  for (let i = 0; i < times; i++) {
    await null;
    sum = (sum * 31 + i) | 0;
  }
  return sum;
}

async function update(rounds: number, store: any): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    const value = await store.read();
    await store.write(value + 1);
  }
}

export async function counter(tasks: number, rounds: number, store: any): Promise<number> {
  const updates = [];
  for (let i = 0; i < tasks; i++) updates.push(update(rounds, store));
  await Promise.all(updates);
  return store.read();
}
`;

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
};

/** As tsc emits it. */
export function plainPrograms(): Programs {
  return evaluate(ts.transpileModule(source, { compilerOptions }).outputText, 'plain.js');
}

/** As the overlay has it. */
export function instrumentedPrograms(): Programs {
  const { code } = compileFile({
    file: '/programs.ts',
    text: source,
    path: 'programs.ts',
    options: compilerOptions,
    format: 'commonjs',
    stub: false,
  });
  return evaluate(code, 'instrumented.js');
}

function evaluate(code: string, filename: string): Programs {
  const run = vm.compileFunction(code, ['exports', 'require'], { filename });
  const exports = {} as Programs;
  run(exports, () => runtime);
  return exports;
}
