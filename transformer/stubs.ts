/**
 * Which files hold stand-ins for I/O: those that the config names, and test files by default.
 */

const TEST_FILE = /\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)(tests?|__tests__)\//;

/**
 * A predicate on root-relative paths with forward slashes.
 * @param globs patterns with `*`, `**`, `?` and `{a,b}`; test files by name when left out
 */
export function stubMatcher(globs: readonly string[] | undefined): (path: string) => boolean {
  if (globs === undefined) return (path) => TEST_FILE.test(path);
  const patterns = globs.map(globPattern);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

function globPattern(glob: string): RegExp {
  const tokens = /\*\*\/?|[*?{},]|[^*?{},]+/g;
  let depth = 0;
  const source = glob.replace(/^\.\//, '').replace(tokens, (token) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token === '{') return (depth++, '(?:');
    if (token === '}' && depth > 0) return (depth--, ')');
    if (token === ',' && depth > 0) return '|';
    return token.replace(/[.+^$()|[\]\\}]/g, '\\$&');
  });
  return new RegExp(`^${source}$`);
}
