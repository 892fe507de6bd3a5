/**
 * `detsim` as instrumented code sees it: always the copy that is running, whatever the project has
 * installed. Two copies would be two runtimes that know nothing of each other.
 */

const entries: Record<string, string> = {
  detsim: '../../index.js',
  'detsim/runtime': '../index.js',
};

export function isOwnRequest(specifier: string): boolean {
  return specifier === 'detsim/runtime' || specifier === 'detsim';
}

export function requireOwn(specifier: string): unknown {
  return require(entries[specifier]!);
}
