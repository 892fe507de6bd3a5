/**
 * Commands about the connection itself.
 */

import { integer } from '../numbers.js';
import {
  ErrorReply,
  fail,
  MapReply,
  NO_REPLY,
  OK,
  type Protocol,
  type Reply,
  Status,
  syntaxError,
  Verbatim,
} from '../reply.js';
import type { Session } from '../session.js';
import { VERSION } from '../version.js';
import { admin, type CommandTable } from './command.js';
import { databaseAt } from './keys.js';
import { Options } from './options.js';
import { endTransaction } from './transactions.js';

const WRONG_PASSWORD = 'WRONGPASS invalid username-password pair or user is disabled.';

function authenticate(session: Session, user: string, password: string): void {
  const wanted = session.database.engine.config.get('requirepass')!;
  if (user !== 'default' || (wanted !== '' && password !== wanted)) fail(WRONG_PASSWORD);
  session.authenticated = true;
}

function auth(session: Session, words: string[]): Reply {
  if (words.length > 3) return syntaxError();
  if (words.length === 2 && session.database.engine.config.get('requirepass') === '') {
    return fail(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    );
  }
  authenticate(session, words.length === 3 ? words[1] : 'default', words[words.length - 1]);
  return OK;
}

function checkName(name: string): string {
  return /^[!-~]*$/.test(name)
    ? name
    : fail('ERR Client names cannot contain spaces, newlines or special characters.');
}

function hello(session: Session, words: string[]): Reply {
  const options = new Options(words, 1);
  let { protocol } = session;
  if (options.left > 0) {
    const version = integer(
      options.value(),
      'ERR Protocol version is not an integer or out of range',
    );
    if (version !== 2 && version !== 3) return fail('NOPROTO unsupported protocol version');
    protocol = version as Protocol;
  }
  let name: string | undefined;
  while (options.left > 0) {
    const option = options.name();
    if (option === 'auth' && options.left >= 2) {
      authenticate(session, options.value(), options.value());
    } else if (option === 'setname' && options.left >= 1) name = checkName(options.value());
    else return fail(`ERR Syntax error in HELLO option '${option}'`);
  }
  if (!session.authenticated) {
    return fail(
      'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
    );
  }
  if (name !== undefined) session.name = name;
  session.protocol = protocol;
  const about = {
    server: 'redis',
    version: VERSION,
    proto: protocol,
    id: session.id,
    mode: 'standalone',
    role: 'master',
    modules: [],
  };
  return new MapReply(Object.entries<Reply>(about).flat());
}

function reset(session: Session): Reply {
  const { engine } = session.database;
  endTransaction(session);
  engine.pubsub.leave(session);
  session.database = engine.databases[0];
  session.protocol = 2;
  session.name = '';
  session.silence = undefined;
  session.authenticated = engine.config.get('requirepass') === '';
  return new Status('RESET');
}

/** A line of CLIENT LIST. */
function describe(session: Session): string {
  const { engine } = session.database;
  const age = Math.floor((engine.now - session.since) / 1000);
  const queued = session.transaction.queue?.length ?? -1;
  const facts = {
    id: session.id,
    addr: session.address,
    laddr: session.localAddress,
    fd: session.id + 7,
    name: session.name,
    age,
    idle: 0,
    flags: session.blocked !== undefined ? 'b' : session.subscribed ? 'P' : queued < 0 ? 'N' : 'x',
    db: session.database.index,
    sub: session.channels.size,
    psub: session.patterns.size,
    ssub: session.shardChannels.size,
    multi: queued,
    cmd: session.lastCommand,
    user: session.user,
    resp: session.protocol,
    'lib-name': session.libraryName,
    'lib-ver': session.libraryVersion,
  };
  return `${Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}\n`;
}

function clientReply(session: Session, mode: string): Reply {
  if (mode === 'on') session.silence = undefined;
  else if (mode === 'off') session.silence = 'off';
  else if (mode === 'skip') session.silence = session.silence === 'off' ? 'off' : 'skip-next';
  else return syntaxError();
  return mode === 'on' ? OK : NO_REPLY;
}

function kill(session: Session, words: string[]): Reply {
  const { engine } = session.database;
  const all = [...engine.sessions.values()];
  const options = new Options(words, 2);
  if (options.left === 1) {
    const victim = all.find(({ address }) => address === words[2]);
    if (victim === undefined) return fail('ERR No such client');
    victim.disconnect();
    return OK;
  }
  let victims = all;
  let skipOwn = true;
  while (options.left > 1) {
    const name = options.name();
    const value = options.value();
    if (name === 'id') victims = victims.filter(({ id }) => id === integer(value));
    else if (name === 'addr') victims = victims.filter(({ address }) => address === value);
    else if (name === 'laddr') victims = victims.filter((one) => one.localAddress === value);
    else if (name === 'user') victims = victims.filter(({ user }) => user === value);
    else if (name === 'type') {
      const listening = value.toLowerCase() === 'pubsub';
      victims = victims.filter(({ subscribed }) => subscribed === listening);
    } else if (name === 'skipme') skipOwn = value.toLowerCase() === 'yes';
    else return syntaxError();
  }
  if (options.left > 0) return syntaxError();
  if (skipOwn) victims = victims.filter((one) => one !== session);
  for (const victim of victims) victim.disconnect();
  return victims.length;
}

function unblock(session: Session, words: string[]): Reply {
  const { engine } = session.database;
  const mode = (words[3] ?? 'timeout').toLowerCase();
  if (mode !== 'timeout' && mode !== 'error') {
    return fail('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR');
  }
  const waiter = engine.sessions.get(integer(words[2]))?.blocked;
  if (waiter === undefined) return 0;
  const error = 'UNBLOCKED client unblocked via CLIENT UNBLOCK';
  engine.blocking.release(waiter, mode === 'error' ? new ErrorReply(error) : waiter.empty);
  return 1;
}

function setInfo(session: Session, option: string, value: string): Reply {
  if (!/^[!-~]*$/.test(value)) {
    return fail(`ERR ${option} cannot contain spaces, newlines or special characters.`);
  }
  if (option.toLowerCase() === 'lib-name') session.libraryName = value;
  else if (option.toLowerCase() === 'lib-ver') session.libraryVersion = value;
  else return fail(`ERR Unrecognized option '${option}'`);
  return OK;
}

export const connection: CommandTable = {
  ping: admin(-1, (session, words) => {
    if (words.length > 2) return fail("ERR wrong number of arguments for 'ping' command");
    if (session.protocol === 2 && session.subscribed) return ['pong', words[1] ?? ''];
    return words[1] ?? new Status('PONG');
  }),
  echo: admin(2, (_, [, text]) => text),
  select: admin(2, (session, [, index]) => {
    session.database = databaseAt(session, index);
    return OK;
  }),
  quit: admin(-1, (session) => {
    session.closing = true;
    return OK;
  }),
  reset: admin(1, reset, 'noscript'),
  hello: admin(-1, hello, 'noscript'),
  auth: admin(-2, auth, 'noscript'),
  'client|id': admin(2, (session) => session.id),
  'client|getname': admin(2, (session) => (session.name === '' ? null : session.name)),
  'client|setname': admin(3, (session, [, , name]) => {
    session.name = checkName(name);
    return OK;
  }),
  'client|setinfo': admin(4, (session, [, , option, value]) => setInfo(session, option, value)),
  'client|info': admin(2, (session) => new Verbatim(describe(session))),
  'client|list': admin(
    -2,
    ({ database }) => new Verbatim([...database.engine.sessions.values()].map(describe).join('')),
  ),
  'client|kill': admin(-3, kill),
  'client|unblock': admin(-3, unblock),
  'client|reply': admin(3, (session, [, , mode]) => clientReply(session, mode.toLowerCase())),
  'client|no-evict': admin(3, () => OK),
  'client|no-touch': admin(3, () => OK),
  'client|pause': admin(-3, () => OK),
  'client|unpause': admin(2, () => OK),
  'client|tracking': admin(-3, (_, [, , mode]) =>
    mode.toLowerCase() === 'off' ? OK : fail('ERR client-side caching is not simulated'),
  ),
  'client|trackinginfo': admin(
    2,
    () => new MapReply(['flags', ['off'], 'redirect', -1, 'prefixes', []]),
  ),
  'client|getredir': admin(2, () => -1),
};
