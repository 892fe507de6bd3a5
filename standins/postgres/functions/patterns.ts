/** LIKE patterns and regular expressions as JavaScript's; what they cannot say is refused. */

import { SqlError, unsupported } from '../errors.js';

const likes = new Map<string, (text: string) => boolean>();

export function likeMatcher(pattern: string, insensitive: boolean): (text: string) => boolean {
  const key = `${insensitive} ${pattern}`;
  let matcher = likes.get(key);
  if (matcher === undefined) {
    let source = '';
    for (let i = 0; i < pattern.length; i += 1) {
      let char = pattern[i]!;
      if (char === '%') source += '[^]*';
      else if (char === '_') source += '[^]';
      else {
        if (char === '\\') {
          char = pattern[(i += 1)] ?? '';
          if (char === '')
            throw new SqlError('22025', 'LIKE pattern must not end with escape character');
        }
        source += char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      }
    }
    const regex = new RegExp(`^${source}$`, insensitive ? 'iu' : 'u');
    matcher = (text) => regex.test(text);
    remember(likes, key, matcher);
  }
  return matcher;
}

const regexes = new Map<string, RegExp>();

export function regexOf(pattern: string, flags = ''): RegExp {
  const key = `${flags} ${pattern}`;
  let regex = regexes.get(key);
  if (regex === undefined) {
    if (/\[\[[.=:]?[<>]|\\[mMyYAZ]|^\*{3}|\(\?[a-z]+\)/.test(pattern)) {
      throw unsupported(`the regular expression "${pattern}"`);
    }
    const classes: Record<string, string> = {
      alpha: 'a-zA-Z',
      digit: '0-9',
      alnum: 'a-zA-Z0-9',
      space: '\\s',
      upper: 'A-Z',
      lower: 'a-z',
      punct: '!-\\/:-@\\[-`{-~',
      xdigit: '0-9a-fA-F',
    };
    const source = pattern.replace(/\[:(\w+):\]/g, (_, name: string) => {
      if (!(name in classes))
        throw new SqlError('2201B', 'invalid regular expression: invalid character class');
      return classes[name]!;
    });
    try {
      regex = new RegExp(source, `${flags.replace(/[^ig]/g, '')}s`);
    } catch {
      throw new SqlError('2201B', `invalid regular expression: "${pattern}"`);
    }
    remember(regexes, key, regex);
  }
  regex.lastIndex = 0;
  return regex;
}

function remember<T>(cache: Map<string, T>, key: string, value: T): void {
  if (cache.size > 500) cache.clear();
  cache.set(key, value);
}
