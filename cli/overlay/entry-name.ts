/**
 * Where the compiled file of a source lies in the overlay, and back.
 *
 * It has the path of its source, so that a person finds it, but for what test runners take for
 * tests: jest everything in a folder `__tests__`, `node --test` of Node 20 everything in a folder
 * `test` and files that begin with `test-`. A project's own test run must not meet the copies.
 */

const TEST_FOLDER = /^(?:test|__tests__)$/;

/** A path below the root; steps out of the root (a store of packages) get a name. */
export function entryName(sitePath: string): string {
  const parts = sitePath
    .split('/')
    .map((part) => (part === '..' ? '_up' : part.replace(/:/g, '_')));
  const file = parts.pop()!;
  const folders = parts.map((part) => (TEST_FOLDER.test(part) ? `${part}~` : part));
  return [...folders, file.startsWith('test-') ? `~${file}` : file].join('/');
}

/** The path below the root that a path in the overlay stands for. */
export function pathOfEntry(entry: string): string {
  return entry.replace(/(^|[\\/])(test|__tests__)~(?=[\\/]|$)/g, '$1$2');
}
