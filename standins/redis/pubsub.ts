/**
 * Who listens to which channels. Messages go out in the order in which they subscribed.
 */

import { glob } from './glob.js';
import type { Session } from './session.js';

interface Pattern {
  readonly matches: (channel: string) => boolean;
  readonly sessions: Set<Session>;
}

export class PubSub {
  readonly channels = new Map<string, Set<Session>>();
  readonly shardChannels = new Map<string, Set<Session>>();
  readonly patterns = new Map<string, Pattern>();

  subscribe(session: Session, channel: string): void {
    session.channels.add(channel);
    join(this.channels, channel, session);
  }

  unsubscribe(session: Session, channel: string): void {
    session.channels.delete(channel);
    leave(this.channels, channel, session);
  }

  subscribeShard(session: Session, channel: string): void {
    session.shardChannels.add(channel);
    join(this.shardChannels, channel, session);
  }

  unsubscribeShard(session: Session, channel: string): void {
    session.shardChannels.delete(channel);
    leave(this.shardChannels, channel, session);
  }

  subscribePattern(session: Session, text: string): void {
    session.patterns.add(text);
    const pattern = this.patterns.get(text) ?? { matches: glob(text), sessions: new Set() };
    pattern.sessions.add(session);
    this.patterns.set(text, pattern);
  }

  unsubscribePattern(session: Session, text: string): void {
    session.patterns.delete(text);
    const pattern = this.patterns.get(text);
    pattern?.sessions.delete(session);
    if (pattern?.sessions.size === 0) this.patterns.delete(text);
  }

  /** @returns how many subscriptions it met */
  publish(channel: string, message: string): number {
    const listeners = this.channels.get(channel) ?? [];
    let count = 0;
    for (const session of listeners) {
      session.push('message', channel, message);
      count++;
    }
    for (const [text, { matches, sessions }] of this.patterns) {
      if (!matches(channel)) continue;
      for (const session of sessions) {
        session.push('pmessage', text, channel, message);
        count++;
      }
    }
    return count;
  }

  publishShard(channel: string, message: string): number {
    const listeners = this.shardChannels.get(channel) ?? new Set();
    for (const session of listeners) session.push('smessage', channel, message);
    return listeners.size;
  }

  /** Ends all subscriptions of a session. */
  leave(session: Session): void {
    for (const channel of [...session.channels]) this.unsubscribe(session, channel);
    for (const channel of [...session.shardChannels]) this.unsubscribeShard(session, channel);
    for (const pattern of [...session.patterns]) this.unsubscribePattern(session, pattern);
  }
}

function join(channels: Map<string, Set<Session>>, channel: string, session: Session): void {
  channels.set(channel, (channels.get(channel) ?? new Set()).add(session));
}

function leave(channels: Map<string, Set<Session>>, channel: string, session: Session): void {
  const sessions = channels.get(channel);
  sessions?.delete(session);
  if (sessions?.size === 0) channels.delete(channel);
}
