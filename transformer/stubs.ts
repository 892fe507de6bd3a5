/**
 * Which files hold stand-ins for I/O: test files and what lies beside them in folders of tests,
 * such as the `sleep` of `test/helpers.ts`, and those that the config names.
 */

const TEST_FILE = /\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)(tests?|__tests__)\//;

/** Whether a file of the project, by its root-relative path with forward slashes, is for tests. */
export function isTestFile(path: string): boolean {
  return TEST_FILE.test(path);
}

/**
 * A predicate on root-relative paths with forward slashes.
 * @param globs of further files, with `*`, `**`, `?` and `{a,b}`
 */
export function stubMatcher(globs: readonly string[] = []): (path: string) => boolean {
  const patterns = globs.map(globPattern);
  return (path) => isTestFile(path) || patterns.some((pattern) => pattern.test(path));
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
