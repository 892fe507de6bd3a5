/**
 * SQL text to parse trees, by libpg-query: PostgreSQL's own parser as WebAssembly. It is an
 * optional peer of detsim, asked for when the first statement comes.
 *
 * The package starts itself with promises. Here it has to be ready at once (a simulation must not
 * depend on whether it was loaded before), so it is evaluated in a context whose microtasks run at
 * the end of each evaluation.
 */

import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { SqlError } from './errors.js';

interface Parsed {
  readonly stmts?: readonly {
    readonly stmt: any;
    readonly stmt_location?: number;
    readonly stmt_len?: number;
  }[];
}

interface LibPgQuery {
  parseSync(text: string): Parsed;
}

/** What is used of WebAssembly; the compiler knows it with the types of browsers only. */
interface Assembly {
  readonly Module: new (bytes: Uint8Array) => unknown;
  readonly Instance: new (module: unknown, imports: unknown) => unknown;
}

export interface Statement {
  readonly node: any;
  readonly text: string;
}

let library: LibPgQuery | undefined;

function folder(): string {
  try {
    return path.dirname(require.resolve('libpg-query', { paths: [process.cwd(), __dirname] }));
  } catch {
    throw new Error(
      "detsim/postgres needs libpg-query (PostgreSQL's parser), which is not installed: " +
        'npm install --save-dev libpg-query@18',
    );
  }
}

/** Loads the parser, if that has not happened yet. */
export function loadParser(): LibPgQuery {
  if (library !== undefined) return library;
  const root = folder();
  const assembly = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly;
  const module = new assembly.Module(fs.readFileSync(path.join(root, 'libpg-query.wasm')));
  const globals = { WebAssembly: assembly, TextDecoder, TextEncoder, URL, console, process };
  const context = vm.createContext(globals, { microtaskMode: 'afterEvaluate' });
  const load = (name: string, requireFrom: (request: string) => unknown): any => {
    const filename = path.join(root, name);
    const source = fs.readFileSync(filename, 'utf8');
    const loaded = { exports: {} };
    Object.assign(context, { loaded, requireFrom });
    const place = [root, filename].map((text) => JSON.stringify(text)).join(', ');
    const scope = `loaded, loaded.exports, requireFrom, ${place}`;
    const names = 'module, exports, require, __dirname, __filename';
    const wrapper = `(function (${names}) { ${source}\n})(${scope})`;
    vm.runInContext(wrapper, context, { filename });
    return loaded.exports;
  };
  const glue = load('libpg-query.js', require);
  const instantiateWasm = (imports: unknown, done: (instance: unknown) => void) => {
    done(new assembly.Instance(module, imports));
    return {};
  };
  const start = () => glue({ instantiateWasm });
  library = load('index.cjs', (request) =>
    request === './libpg-query.js' ? { __esModule: true, default: start } : {},
  ) as LibPgQuery;
  return library;
}

const cache = new Map<string, readonly Statement[]>();

/** The statements of a query string; a syntax error as PostgreSQL reports it. */
export function parse(text: string): readonly Statement[] {
  let statements = cache.get(text);
  if (statements === undefined) {
    statements = parseAnew(text);
    if (cache.size >= 1000) cache.clear();
    cache.set(text, statements);
  }
  return statements;
}

function parseAnew(text: string): Statement[] {
  if (text.trim() === '') return [];
  let parsed: Parsed;
  try {
    parsed = loadParser().parseSync(text);
  } catch (error: any) {
    const details = error.sqlDetails;
    if (details === undefined) throw error;
    const position = details.cursorPosition + 1;
    throw new SqlError('42601', error.message, { position });
  }
  const bytes = Buffer.from(text);
  return (parsed.stmts ?? []).map(({ stmt, stmt_location: at = 0, stmt_len: length }) => ({
    node: stmt,
    text: bytes
      .subarray(at, length === undefined ? undefined : at + length)
      .toString()
      .trim(),
  }));
}
