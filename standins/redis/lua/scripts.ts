/**
 * Keeps scripts and libraries of functions, and runs them: each as a whole, like a command.
 *
 * A world of Lua is made when the first script comes. Scripts cannot change its globals, so one
 * world serves them all.
 */

import type { Engine } from '../engine.js';
import { ErrorReply, fail, MapReply, type Reply } from '../reply.js';
import { Session } from '../session.js';
import { libraryOf } from './arguments.js';
import { baseLibrary, caught } from './base-library.js';
import { bitLibrary } from './bit.js';
import { cjsonLibrary } from './cjson.js';
import { cmsgpackLibrary } from './cmsgpack.js';
import { fromLua } from './conversion.js';
import { type Call, redisLibrary, sha1, type ScriptHost } from './redis-library.js';
import { Runtime } from './runtime.js';
import { stringLibrary } from './string-library.js';
import { structLibrary } from './struct.js';
import { mathLibrary, ScriptRandom, tableLibrary } from './table-library.js';
import { LuaTable } from './table.js';
import { LuaError, type LuaFunction, type LuaValue } from './value.js';

const CHUNK = 'user_script';

interface Script {
  readonly run: LuaFunction;
  readonly readOnly: boolean;
}

interface LibraryFunction extends Script {
  readonly library: string;
}

export class Scripts implements ScriptHost {
  call: Call | undefined;
  private readonly scripts = new Map<string, Script>();
  private readonly libraries = new Map<string, string>();
  private readonly functions = new Map<string, LibraryFunction>();
  private world: Runtime | undefined;
  /** The library that is being loaded. */
  private loading: string | undefined;

  constructor(private readonly engine: Engine) {}

  /**
   * Compiles a script, unless it is known.
   * @returns its SHA1
   */
  load(text: string): string {
    const sha = sha1(text);
    if (this.scripts.has(sha)) return sha;
    const shebang = /^#!(\S+)([^\n]*)/.exec(text);
    if (shebang !== null && shebang[1] !== 'lua') {
      return fail(`ERR Unexpected engine in script shebang: #!${shebang[1]}`);
    }
    const readOnly = /flags=\S*no-writes/.test(shebang?.[2] ?? '');
    try {
      this.scripts.set(sha, { run: this.runtime().load(text, CHUNK), readOnly });
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
      return fail(`ERR Error compiling script (new function): ${String(error.value)}`);
    }
    return sha;
  }

  has(sha: string): boolean {
    return this.scripts.has(sha);
  }

  flush(): void {
    this.scripts.clear();
  }

  /** Runs a script by its SHA1. */
  run(
    session: Session,
    sha: string,
    keys: readonly string[],
    args: readonly string[],
    readOnly: boolean,
  ): Reply {
    const script = this.scripts.get(sha);
    if (script === undefined) return fail('NOSCRIPT No matching script. Please use EVAL.');
    const { globals } = this.runtime();
    globals.set('KEYS', LuaTable.of(keys));
    globals.set('ARGV', LuaTable.of(args));
    return this.perform(session, CHUNK, sha, readOnly || script.readOnly, () => script.run());
  }

  /** Runs a function of a library. */
  callFunction(
    session: Session,
    name: string,
    keys: readonly string[],
    args: readonly string[],
    readOnly: boolean,
  ): Reply {
    const found = this.functions.get(name);
    if (found === undefined) return fail('ERR Function not found');
    if (readOnly && !found.readOnly) {
      return fail('ERR Can not execute a script with write flag using *_ro command.');
    }
    return this.perform(session, 'user_function', name, found.readOnly, () =>
      found.run(LuaTable.of(keys), LuaTable.of(args)),
    );
  }

  register(name: string, run: LuaFunction, readOnly: boolean): void {
    const { loading } = this;
    if (loading === undefined) {
      throw this.runtime().failure(
        'redis.register_function can only be called on FUNCTION LOAD command',
      );
    }
    if (this.functions.has(name)) throw new LuaError('Function already exists in the library');
    this.functions.set(name, { run, readOnly, library: loading });
  }

  /** @returns the name of the library */
  loadLibrary(text: string, replace: boolean): Reply {
    const [, engine, name] = /^#!(\S+)[^\n]*?name=(\S+)/.exec(text) ?? [];
    if (engine === undefined) return fail('ERR Missing library metadata');
    if (engine.toLowerCase() !== 'lua') return fail(`ERR Engine '${engine}' not found`);
    if (this.libraries.has(name)) {
      if (!replace) return fail(`ERR Library '${name}' already exists`);
      this.deleteLibrary(name);
    }
    this.loading = name;
    try {
      this.runtime().load(text, 'user_function')();
    } catch (error) {
      this.removeFunctions(name);
      const value = caught(this.runtime(), error);
      return fail(`ERR Error registering functions: ${textOf(value)}`);
    } finally {
      this.loading = undefined;
    }
    if (![...this.functions.values()].some(({ library }) => library === name)) {
      return fail('ERR No functions registered');
    }
    this.libraries.set(name, text);
    return name;
  }

  deleteLibrary(name: string): void {
    if (!this.libraries.delete(name)) fail('ERR Library not found');
    this.removeFunctions(name);
  }

  flushLibraries(): void {
    this.libraries.clear();
    this.functions.clear();
  }

  listLibraries(): Reply {
    return [...this.libraries.keys()].map((library) => {
      const own = [...this.functions].filter(([, one]) => one.library === library);
      const functions = own.map(
        ([name, { readOnly }]) =>
          new MapReply(['name', name, 'description', null, 'flags', readOnly ? ['no-writes'] : []]),
      );
      return new MapReply(['library_name', library, 'engine', 'LUA', 'functions', functions]);
    });
  }

  private removeFunctions(name: string): void {
    for (const [own, { library }] of this.functions) {
      if (library === name) this.functions.delete(own);
    }
  }

  private perform(
    session: Session,
    chunk: string,
    id: string,
    readOnly: boolean,
    run: () => readonly LuaValue[],
  ): Reply {
    const runtime = this.runtime();
    const own = new Session(session.id, session.database, session.address, session.localAddress, {
      write: () => {},
      resume: () => {},
      disconnect: () => {},
    });
    own.mayBlock = false;
    this.call = { session: own, readOnly, protocol: 2 };
    runtime.chunk = chunk;
    try {
      return fromLua(run()[0], this.call.protocol);
    } catch (error) {
      return failureOf(runtime, caught(runtime, error), id);
    } finally {
      this.call = undefined;
    }
  }

  private runtime(): Runtime {
    this.world ??= this.createWorld();
    return this.world;
  }

  private createWorld(): Runtime {
    const runtime = new Runtime();
    const { globals, strings } = runtime;
    const string = libraryOf(runtime, stringLibrary(runtime));
    for (const [name, value] of string.pairs()) strings.set(name, value);
    const math = libraryOf(runtime, mathLibrary(new ScriptRandom()));
    math.set('pi', Math.PI);
    math.set('huge', Infinity);
    const libraries: Record<string, LuaTable> = {
      string,
      table: libraryOf(runtime, tableLibrary(runtime)),
      math,
      os: libraryOf(runtime, { clock: () => this.engine.now / 1000 }),
      cjson: cjsonLibrary(runtime),
      cmsgpack: cmsgpackLibrary(runtime),
      struct: libraryOf(runtime, structLibrary(runtime)),
      bit: libraryOf(runtime, bitLibrary),
      redis: redisLibrary(runtime, this),
    };
    for (const [name, library] of Object.entries(libraries)) {
      library.readOnly = true;
      globals.set(name, library);
    }
    globals.set('server', libraries.redis);
    for (const [name, value] of libraryOf(runtime, baseLibrary(runtime)).pairs()) {
      globals.set(name, value);
    }
    globals.set('_G', globals);
    globals.set('_VERSION', 'Lua 5.1');
    globals.metatable = LuaTable.from({
      __index: (_, name) => {
        throw runtime.failure(
          `Script attempted to access nonexistent global variable '${runtime.text(name)}'`,
        );
      },
    });
    globals.readOnly = true;
    return runtime;
  }
}

const textOf = (value: LuaValue): string =>
  value instanceof LuaTable ? String(value.get('err')) : String(value);

/** The reply for what a script has thrown. */
function failureOf(runtime: Runtime, value: LuaValue, id: string): ErrorReply {
  const thrown = value instanceof LuaTable ? value.get('err') : undefined;
  const message = typeof thrown === 'string' ? thrown : `ERR ${runtime.text(value)}`;
  const line = (value instanceof LuaTable ? value.get('line') : undefined) ?? runtime.line;
  return new ErrorReply(`${message} script: ${id}, on @${runtime.chunk}:${String(line)}.`);
}
