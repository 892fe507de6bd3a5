/** Makes what TypeScript prints fit for the loader: code without pragmas, a map with one path. */

/**
 * Takes out the `#!` line, which only the start of a file may have, and links to source maps,
 * which the overlay keeps itself. Lines are emptied, not removed: the map counts them.
 */
export function cleanCode(code: string): string {
  const withoutShebang = code.startsWith('#!') ? code.replace(/^.*/, '') : code;
  if (!withoutShebang.includes('sourceMappingURL=')) return withoutShebang;
  return withoutShebang.replace(/^\/\/[#@] sourceMappingURL=.*$/gm, '');
}

/** The source map with the original's absolute path as its only source, and no source text. */
export function cleanMap(map: string, file: string): string {
  const { version, names, mappings } = JSON.parse(map) as Record<string, unknown>;
  return JSON.stringify({ version, sources: [file], names, mappings });
}
