/**
 * Commands of those who publish and those who listen.
 */

import { glob } from '../glob.js';
import { NO_REPLY, type Reply } from '../reply.js';
import type { Session } from '../session.js';
import { admin, type CommandTable } from './command.js';

type Kind = 'subscribe' | 'psubscribe' | 'ssubscribe';

const counted = (session: Session, kind: Kind): number =>
  kind === 'ssubscribe' ? session.shardChannels.size : session.subscriptions;

function subscribe(session: Session, names: string[], kind: Kind): Reply {
  const { pubsub } = session.database.engine;
  for (const name of names) {
    if (kind === 'subscribe') pubsub.subscribe(session, name);
    else if (kind === 'psubscribe') pubsub.subscribePattern(session, name);
    else pubsub.subscribeShard(session, name);
    session.push(kind, name, counted(session, kind));
  }
  return NO_REPLY;
}

function unsubscribe(session: Session, names: string[], kind: Kind): Reply {
  const { pubsub } = session.database.engine;
  const own = {
    subscribe: session.channels,
    psubscribe: session.patterns,
    ssubscribe: session.shardChannels,
  }[kind];
  const event = kind.replace('sub', 'unsub');
  const wanted = names.length > 0 ? names : [...own];
  for (const name of wanted) {
    if (kind === 'subscribe') pubsub.unsubscribe(session, name);
    else if (kind === 'psubscribe') pubsub.unsubscribePattern(session, name);
    else pubsub.unsubscribeShard(session, name);
    session.push(event, name, counted(session, kind));
  }
  if (wanted.length === 0) session.push(event, null, counted(session, kind));
  return NO_REPLY;
}

const listen = (kind: Kind) =>
  admin(-2, (session, [, ...names]) => subscribe(session, names, kind), 'pubsub', 'noscript');
const leave = (kind: Kind) =>
  admin(-1, (session, [, ...names]) => unsubscribe(session, names, kind), 'pubsub', 'noscript');

const channelsLike = (channels: ReadonlyMap<string, unknown>, pattern: string): Reply =>
  [...channels.keys()].filter(glob(pattern));

const countsOf = (
  channels: ReadonlyMap<string, ReadonlySet<unknown>>,
  names: readonly string[],
): Reply => names.flatMap((name) => [name, channels.get(name)?.size ?? 0]);

export const pubsub: CommandTable = {
  publish: admin(3, ({ database }, [, channel, message]) =>
    database.engine.pubsub.publish(channel, message),
  ),
  spublish: admin(3, ({ database }, [, channel, message]) =>
    database.engine.pubsub.publishShard(channel, message),
  ),
  subscribe: listen('subscribe'),
  psubscribe: listen('psubscribe'),
  ssubscribe: listen('ssubscribe'),
  unsubscribe: leave('subscribe'),
  punsubscribe: leave('psubscribe'),
  sunsubscribe: leave('ssubscribe'),
  'pubsub|channels': admin(-2, ({ database }, words) =>
    channelsLike(database.engine.pubsub.channels, words[2] ?? '*'),
  ),
  'pubsub|shardchannels': admin(-2, ({ database }, words) =>
    channelsLike(database.engine.pubsub.shardChannels, words[2] ?? '*'),
  ),
  'pubsub|numsub': admin(-2, ({ database }, words) =>
    countsOf(database.engine.pubsub.channels, words.slice(2)),
  ),
  'pubsub|shardnumsub': admin(-2, ({ database }, words) =>
    countsOf(database.engine.pubsub.shardChannels, words.slice(2)),
  ),
  'pubsub|numpat': admin(2, ({ database }) => database.engine.pubsub.patterns.size),
};
