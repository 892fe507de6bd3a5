/**
 * Patterns of KEYS, SCAN, PSUBSCRIBE and CONFIG GET: `*`, `?`, `[a-z]`, `[^a]`, and `\` before a
 * letter that stands for itself.
 */

/** The test for a pattern. */
export function glob(pattern: string): (text: string) => boolean {
  if (pattern === '*') return () => true;
  if (!/[*?[\\]/.test(pattern)) return (text) => text === pattern;
  const expression = new RegExp(`^${source(pattern)}$`, 's');
  return (text) => expression.test(text);
}

const quote = (letter: string): string => letter.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');

function source(pattern: string): string {
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const letter = pattern[i];
    if (letter === '*') out += out.endsWith('.*') ? '' : '.*';
    else if (letter === '?') out += '.';
    else if (letter === '\\' && i + 1 < pattern.length) out += quote(pattern[++i]);
    else if (letter === '[') {
      const set = letters(pattern, i + 1);
      out += set.source;
      i = set.end;
    } else out += quote(letter);
  }
  return out;
}

/** The set of letters that begins behind a bracket; one that does not end goes to the end. */
function letters(pattern: string, start: number): { source: string; end: number } {
  let i = start;
  const negative = pattern[i] === '^';
  if (negative) i++;
  let out = '';
  for (; i < pattern.length && pattern[i] !== ']'; i++) {
    if (pattern[i] === '\\' && i + 1 < pattern.length) out += quote(pattern[++i]);
    else if (pattern[i + 1] === '-' && i + 2 < pattern.length) {
      const [from, to] = [pattern[i], pattern[i + 2]].sort();
      out += `${quote(from)}-${quote(to)}`;
      i += 2;
    } else out += quote(pattern[i]);
  }
  if (out === '') return { source: negative ? '.' : '(?!)', end: i };
  return { source: `[${negative ? '^' : ''}${out}]`, end: i };
}
