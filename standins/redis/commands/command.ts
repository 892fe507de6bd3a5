/**
 * How commands are declared.
 */

import { ErrorReply, type Reply } from '../reply.js';
import type { Session } from '../session.js';

/** `words[0]` is the name as it was sent. */
export type Run = (session: Session, words: string[]) => Reply;

/** The positions of the keys: first, last (negative: from the end) and step; 0 for none. */
export type Keys = readonly [first: number, last: number, step: number];

export interface Command {
  /** In lower case; that of a subcommand is `client|id`. */
  readonly name: string;
  /** How many words it has, the name included; negative: at least so many. */
  readonly arity: number;
  readonly flags: readonly string[];
  readonly keys: Keys;
  readonly run: Run;
  /** It cannot be part of a transaction. */
  readonly notQueued?: boolean;
}

export type Declared = Omit<Command, 'name'>;
/** Commands by name; a container has its subcommands by name in turn. */
export type CommandTable = Readonly<Record<string, Declared>>;

const ONE_KEY: Keys = [1, 1, 1];
export const NO_KEYS: Keys = [0, 0, 0];
export const ALL_KEYS: Keys = [1, -1, 1];

export const read = (arity: number, run: Run, keys: Keys = ONE_KEY): Declared => ({
  arity,
  run,
  keys,
  flags: ['readonly'],
});

export const write = (arity: number, run: Run, keys: Keys = ONE_KEY): Declared => ({
  arity,
  run,
  keys,
  flags: ['write'],
});

/** A command that may wait. */
export const blocking = (arity: number, run: Run, keys: Keys): Declared => ({
  arity,
  run,
  keys,
  flags: ['write', 'blocking', 'noscript'],
});

/** A command that is about the connection or the server. */
export const admin = (arity: number, run: Run, ...flags: string[]): Declared => ({
  arity,
  run,
  keys: NO_KEYS,
  flags,
});

export const wrongArity = (name: string): ErrorReply =>
  new ErrorReply(`ERR wrong number of arguments for '${name}' command`);
