/**
 * Where a compiled module awaits at its top level, for messages: the first of its sites that is
 * one.
 */

/** A row of the site table that compiled code carries, outside every function. */
const topLevelSite = /\["(?:await|forAwait|dispose)", ?(\d+), ?(\d+), ?"",/;

/** `:line:column` in the original source, or nothing when the code does not tell. */
export function topLevelAwaitPosition(code: string): string {
  const site = topLevelSite.exec(code);
  return site === null ? '' : `:${site[1]}:${site[2]}`;
}
