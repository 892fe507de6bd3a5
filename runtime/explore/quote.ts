/**
 * Command lines that work when they are pasted into a POSIX shell.
 */

/**
 * A word as a shell reads it: bare when that is safe, else in double quotes, else in single ones.
 */
export function quote(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word;
  if (!/[$`"\\!\n]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** An assignment of an environment variable in front of a command. */
export function assign(name: string, value: string): string {
  return `${name}=${/^[\w.-]+$/.test(value) ? value : always(value)}`;
}

function always(value: string): string {
  const quoted = quote(value);
  return quoted === value ? `"${value}"` : quoted;
}

/**
 * A pattern for `mocha --grep` that selects the test with this full title.
 * @param others titles of the same file; only where one contains the title is it tied to both ends
 */
export function grepPattern(title: string, others: Iterable<string>): string {
  const pattern = title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\n', '\\n');
  for (const other of others) {
    if (other !== title && other.includes(title)) return `^${pattern}$`;
  }
  // Mocha reads a pattern between slashes as a regular expression with flags.
  return title.startsWith('/') ? `^${pattern}` : pattern;
}
