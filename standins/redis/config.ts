/**
 * The settings that CONFIG GET and CONFIG SET know. Few of them have an effect here; the others
 * have the values of a fresh Redis, for programs that look at them.
 */

const DEFAULTS: Readonly<Record<string, string>> = {
  appendfsync: 'everysec',
  appendonly: 'no',
  bind: '127.0.0.1',
  databases: '16',
  'hash-max-listpack-entries': '128',
  'lua-time-limit': '5000',
  maxclients: '10000',
  maxmemory: '0',
  'maxmemory-policy': 'noeviction',
  'notify-keyspace-events': '',
  port: '6379',
  'proto-max-bulk-len': '536870912',
  requirepass: '',
  save: '',
  'slowlog-log-slower-than': '10000',
  'slowlog-max-len': '128',
  'stream-node-max-bytes': '4096',
  'stream-node-max-entries': '100',
  timeout: '0',
};

export const DATABASES = Number(DEFAULTS.databases);

export const freshConfig = (): Map<string, string> => new Map(Object.entries(DEFAULTS));

/** The kinds of events that the letter A stands for. */
const ALL_KINDS = 'g$lshztxed';
const KIND_ORDER = 'g$lshzxetdnmKE';

/** The letters of notify-keyspace-events in Redis's order, or undefined if one is unknown. */
export function notificationKinds(text: string): string | undefined {
  const letters = new Set(text.replace('A', ALL_KINDS));
  for (const letter of letters) if (!KIND_ORDER.includes(letter)) return undefined;
  const ordered = [...KIND_ORDER].filter((letter) => letters.has(letter)).join('');
  if (![...ALL_KINDS].every((letter) => letters.has(letter))) return ordered;
  return `A${[...ordered].filter((letter) => !ALL_KINDS.includes(letter)).join('')}`;
}
