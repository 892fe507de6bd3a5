/**
 * Which test files an edit affects: those that import the edited file, directly or not.
 */

import { UserError } from '../errors.js';
import type { Overlay } from '../overlay/overlay.js';

/** For each test file all files of the project that it imports, itself as well; all absolute. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

export function importsOf(overlay: Overlay, specs: readonly string[]): Imports {
  const direct = new Map<string, readonly string[]>();
  const importedBy = (file: string): readonly string[] => {
    let files = direct.get(file);
    if (files === undefined) {
      files = directImports(overlay, file);
      direct.set(file, files);
    }
    return files;
  };
  return new Map(
    specs.map((spec) => {
      const reached = new Set([spec]);
      for (const file of reached) for (const next of importedBy(file)) reached.add(next);
      return [spec, reached] as const;
    }),
  );
}

function directImports(overlay: Overlay, file: string): string[] {
  try {
    const { format, requests } = overlay.get(file);
    const kind = format === 'module' ? 'import' : 'require';
    return requests.flatMap((request) => {
      const resolution = overlay.resolve(request, file, kind);
      return resolution.kind === 'overlay' ? [resolution.file] : [];
    });
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** Files that decide how everything is compiled, run or found. */
const FOR_ALL =
  /(?:^|[\\/])(?:tsconfig[^\\/]*\.json|detsim\.config\.json|package\.json|\.mocharc\.[^\\/]+)$/;

/** Whether an edit of this file concerns the project as a whole. */
export function concernsAll(file: string): boolean {
  return FOR_ALL.test(file);
}

/** The test files that an edit affects. */
export function affectedBy(files: Iterable<string>, imports: Imports): string[] {
  const edited = [...files];
  return [...imports].flatMap(([spec, reached]) =>
    edited.some((file) => reached.has(file)) ? [spec] : [],
  );
}
