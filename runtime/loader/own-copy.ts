/**
 * `detsim` as instrumented code sees it: always the copy that is running, whatever the project has
 * installed. Two copies would be two runtimes that know nothing of each other. The API of a test
 * runner that a trial stands for is given out in the same way.
 */

const entries: Readonly<Record<string, string>> = {
  __proto__: null as never,
  detsim: '../../index.js',
  'detsim/runtime': '../index.js',
  // One copy of it for all trials: it compiles a parser when it is loaded.
  'detsim/postgres': '../../standins/postgres/index.js',
};

/** What stands for a module while the trials of a test runner are run: the runner's own API. */
const standIns = new Map<string, unknown>();

/** Everybody who asks for the module, in a file of the overlay, gets `exports`. */
export function standInFor(specifier: string, exports: unknown): void {
  standIns.set(specifier, exports);
}

export function isOwnRequest(specifier: string): boolean {
  return specifier in entries || standIns.has(specifier);
}

export function requireOwn(specifier: string): unknown {
  return standIns.has(specifier) ? standIns.get(specifier) : require(entries[specifier]!);
}
