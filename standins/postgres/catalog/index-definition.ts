/**
 * An index as the statement that makes it, as PostgreSQL writes it. The text of an expression would
 * have to be written anew from its tree; its label stands there.
 */

import type { Index } from '../engine/table.js';

export function indexDefinition({ name, table, keys, unique, predicate }: Index): string {
  const columns = keys.map(({ column, label }) => quoted(column ?? `(${label})`)).join(', ');
  const where = predicate === undefined ? '' : ' WHERE (expression)';
  const on = `${quoted(table.schema)}.${quoted(table.name)}`;
  const kind = unique ? 'UNIQUE INDEX' : 'INDEX';
  return `CREATE ${kind} ${quoted(name)} ON ${on} USING btree (${columns})${where}`;
}

/** In quotes where it has to be. */
function quoted(name: string): string {
  return /^[a-z_][a-z0-9_$]*$|^\(/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
