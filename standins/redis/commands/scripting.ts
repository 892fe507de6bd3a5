/**
 * EVAL and its kin, SCRIPT, FUNCTION.
 */

import { integer } from '../numbers.js';
import { fail, OK, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { admin, type CommandTable, NO_KEYS, read, write } from './command.js';

/** Keys and arguments behind the number of keys. */
function argumentsOf(words: string[]): { keys: string[]; args: string[] } {
  const count = integer(words[2]);
  if (count > words.length - 3) {
    return fail("ERR Number of keys can't be greater than number of args");
  }
  if (count < 0) return fail("ERR Number of keys can't be negative");
  return { keys: words.slice(3, 3 + count), args: words.slice(3 + count) };
}

function evaluate(session: Session, words: string[], readOnly: boolean): Reply {
  const { keys, args } = argumentsOf(words);
  const { scripts } = session.database.engine;
  return scripts.run(session, scripts.load(words[1]), keys, args, readOnly);
}

function evaluateSha(session: Session, words: string[], readOnly: boolean): Reply {
  const { keys, args } = argumentsOf(words);
  return session.database.engine.scripts.run(session, words[1].toLowerCase(), keys, args, readOnly);
}

function callFunction(session: Session, words: string[], readOnly: boolean): Reply {
  const { keys, args } = argumentsOf(words);
  return session.database.engine.scripts.callFunction(session, words[1], keys, args, readOnly);
}

function loadFunction(session: Session, words: string[]): Reply {
  const replace = words.length === 4 && words[2].toLowerCase() === 'replace';
  if (words.length > 3 && !replace) return syntaxError();
  return session.database.engine.scripts.loadLibrary(words[words.length - 1], replace);
}

export const scripting: CommandTable = {
  eval: {
    ...write(-3, (session, words) => evaluate(session, words, false), NO_KEYS),
    flags: ['noscript'],
  },
  evalsha: {
    ...write(-3, (session, words) => evaluateSha(session, words, false), NO_KEYS),
    flags: ['noscript'],
  },
  eval_ro: {
    ...read(-3, (session, words) => evaluate(session, words, true), NO_KEYS),
    flags: ['noscript', 'readonly'],
  },
  evalsha_ro: {
    ...read(-3, (session, words) => evaluateSha(session, words, true), NO_KEYS),
    flags: ['noscript', 'readonly'],
  },
  fcall: {
    ...write(-3, (session, words) => callFunction(session, words, false), NO_KEYS),
    flags: ['noscript'],
  },
  fcall_ro: {
    ...read(-3, (session, words) => callFunction(session, words, true), NO_KEYS),
    flags: ['noscript', 'readonly'],
  },
  'script|load': admin(
    3,
    ({ database }, [, , text]) => database.engine.scripts.load(text),
    'noscript',
  ),
  'script|exists': admin(
    -3,
    ({ database }, [, , ...shas]) =>
      shas.map((sha) => +database.engine.scripts.has(sha.toLowerCase())),
    'noscript',
  ),
  'script|flush': admin(
    -2,
    ({ database }) => {
      database.engine.scripts.flush();
      return OK;
    },
    'noscript',
  ),
  'script|kill': admin(2, () => fail('NOTBUSY No scripts in execution right now.'), 'noscript'),
  'function|load': admin(-3, loadFunction, 'noscript'),
  'function|delete': admin(
    3,
    ({ database }, [, , name]) => {
      database.engine.scripts.deleteLibrary(name);
      return OK;
    },
    'noscript',
  ),
  'function|flush': admin(
    -2,
    ({ database }) => {
      database.engine.scripts.flushLibraries();
      return OK;
    },
    'noscript',
  ),
  'function|list': admin(-2, ({ database }) => database.engine.scripts.listLibraries(), 'noscript'),
};
