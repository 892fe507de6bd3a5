/**
 * The library `redis`: how scripts run commands.
 */

import { createHash } from 'node:crypto';
import { commandOf } from '../commands/index.js';
import type { Command } from '../commands/command.js';
import { formatDouble } from '../numbers.js';
import { ErrorReply, type Protocol, type Reply } from '../reply.js';
import type { Session } from '../session.js';
import { VERSION } from '../version.js';
import { type Arguments, libraryOf } from './arguments.js';
import { toLua } from './conversion.js';
import type { Runtime } from './runtime.js';
import { LuaTable } from './table.js';
import { LuaError, type LuaFunction, type LuaValue } from './value.js';

/** The script that runs. */
export interface Call {
  /** It has a database of its own, which SELECT changes. */
  readonly session: Session;
  readonly readOnly: boolean;
  /** What redis.setresp has asked for. */
  protocol: Protocol;
}

/** What the library needs of those who run scripts. */
export interface ScriptHost {
  readonly call: Call | undefined;
  register(name: string, run: LuaFunction, readOnly: boolean): void;
}

export const sha1 = (text: string): string =>
  createHash('sha1').update(text, 'latin1').digest('hex');

function wordsOf(args: Arguments): string[] | ErrorReply {
  if (args.count === 0) {
    return new ErrorReply('ERR Please specify at least one argument for this redis lib call');
  }
  const words: string[] = [];
  for (const value of args.values) {
    if (typeof value === 'string') words.push(value);
    else if (typeof value === 'number') words.push(formatDouble(value));
    else {
      return new ErrorReply('ERR Lua redis lib command arguments must be strings or integers');
    }
  }
  return words;
}

function runCommand(host: ScriptHost, args: Arguments): Reply {
  const words = wordsOf(args);
  if (words instanceof ErrorReply) return words;
  const { call } = host;
  if (call === undefined) {
    return new ErrorReply('ERR redis.call/pcall can only be called inside a script invocation');
  }
  let command: Command;
  try {
    command = commandOf(words);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    return new ErrorReply(
      error.message.startsWith('ERR wrong number')
        ? 'ERR Wrong number of args calling Redis command from script'
        : 'ERR Unknown Redis command called from script',
    );
  }
  if (command.flags.includes('noscript')) {
    return new ErrorReply('ERR This Redis command is not allowed from script');
  }
  if (call.readOnly && command.flags.includes('write')) {
    return new ErrorReply('ERR Write commands are not allowed from read-only scripts.');
  }
  return call.session.database.engine.run(call.session, command, words);
}

/** An error of a command, thrown through the script with the place where it was called. */
function thrown(runtime: Runtime, { message }: ErrorReply): LuaError {
  return new LuaError(
    LuaTable.from({ err: message, source: `@${runtime.chunk}`, line: String(runtime.line) }),
  );
}

function registered(runtime: Runtime, host: ScriptHost, args: Arguments): readonly LuaValue[] {
  let [name, run] = args.values;
  let readOnly = false;
  if (name instanceof LuaTable) {
    const flags = name.get('flags');
    if (flags instanceof LuaTable) {
      readOnly = [...flags.pairs()].some(([, flag]) => flag === 'no-writes');
    }
    [name, run] = [name.get('function_name'), name.get('callback')];
  }
  if (typeof name !== 'string' || typeof run !== 'function') {
    throw runtime.failure('wrong arguments to redis.register_function');
  }
  host.register(name, run as LuaFunction, readOnly);
  return [];
}

export function redisLibrary(runtime: Runtime, host: ScriptHost): LuaTable {
  const oneField = (name: string, args: Arguments): LuaTable => {
    const text = args.values[0];
    if (args.count !== 1 || typeof text !== 'string') {
      return LuaTable.from({ err: 'ERR wrong number or type of arguments' });
    }
    // An error without a code gets one.
    const code = name === 'err' && !text.startsWith('-') && !text.includes(' ') ? 'ERR ' : '';
    return LuaTable.from({ [name]: `${code}${text.replace(/^-/, '')}` });
  };
  const table = libraryOf(runtime, {
    call: (args) => {
      const reply = runCommand(host, args);
      if (reply instanceof ErrorReply) throw thrown(runtime, reply);
      return toLua(reply, host.call!.protocol);
    },
    pcall: (args) => toLua(runCommand(host, args), host.call?.protocol ?? 2),
    error_reply: (args) => oneField('err', args),
    status_reply: (args) => oneField('ok', args),
    sha1hex: (args) => {
      if (args.count !== 1) throw runtime.failure('wrong number of arguments');
      return sha1(args.text(0));
    },
    log: () => [],
    setresp: (args) => {
      const version = args.number(0);
      if (version !== 2 && version !== 3) throw runtime.failure('RESP version must be 2 or 3.');
      if (host.call !== undefined) host.call.protocol = version;
      return [];
    },
    set_repl: () => [],
    replicate_commands: () => true,
    breakpoint: () => false,
    debug: () => [],
    acl_check_cmd: () => true,
    register_function: (args) => registered(runtime, host, args),
  });
  const constants = {
    LOG_DEBUG: 0,
    LOG_VERBOSE: 1,
    LOG_NOTICE: 2,
    LOG_WARNING: 3,
    REPL_NONE: 0,
    REPL_AOF: 1,
    REPL_SLAVE: 2,
    REPL_REPLICA: 2,
    REPL_ALL: 3,
    REDIS_VERSION: VERSION,
    REDIS_VERSION_NUM: VERSION.split('.').reduce((sum, part) => sum * 256 + Number(part), 0),
  };
  for (const [name, value] of Object.entries(constants)) table.set(name, value);
  return table;
}
