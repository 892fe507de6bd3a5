/** Tests with a table of cases: `each` and `for`, and how a case is put into a title. */

import { format, inspect } from 'node:util';
import type { Fn } from './declarations.js';

/** A table as it is given: a list of cases, or a template with a head and rows. */
type Table = readonly unknown[] | TemplateStringsArray;

/**
 * The cases of a table, each with the arguments for the function.
 * @param spread whether a case that is a list is spread over the arguments
 */
export function casesOf(table: Table, cells: readonly unknown[], spread: boolean): unknown[][] {
  if (!('raw' in table)) return table.map((one) => (spread && Array.isArray(one) ? one : [one]));
  const names = table[0]!
    .split('|')
    .map((name) => String(name).trim())
    .filter((name) => name !== '');
  const rows: unknown[][] = [];
  for (let at = 0; at + names.length <= cells.length; at += names.length) {
    rows.push([Object.fromEntries(names.map((name, i) => [name, cells[at + i]]))]);
  }
  return rows;
}

/** A title with `%s` and its like, `%#` (the index), `%$` (from 1), `$name` and `$name.field`. */
export function titleOf(title: string, args: readonly unknown[], index: number): string {
  const numbered = title.replaceAll('%#', String(index)).replaceAll('%$', String(index + 1));
  const [first] = args;
  const named =
    typeof first === 'object' && first !== null
      ? numbered.replace(/\$([\w.]+)/g, (whole, path: string) => valueAt(first, path) ?? whole)
      : numbered;
  const wanted = named.replaceAll('%%', '').match(/%[sdifjoOpc]/g)?.length ?? 0;
  return wanted === 0 ? named : format(named.replaceAll('%p', '%O'), ...args.slice(0, wanted));
}

function valueAt(from: object, path: string): string | undefined {
  let value: unknown = from;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !(key in value)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'string' ? value : inspect(value);
}

/** Declares one test or suite for every case. */
export type DeclareCase = (title: string, fn: Fn, rest: readonly unknown[]) => void;

/** The function that takes a table and gives the one that takes title and function. */
export function eachOf(declare: DeclareCase, { spread }: { spread: boolean }) {
  return (table: Table, ...cells: unknown[]) =>
    (title: string, fn: Fn, ...rest: unknown[]): void => {
      for (const [index, args] of casesOf(table, cells, spread).entries()) {
        declare(titleOf(title, args, index), (...more) => fn(...args, ...more), rest);
      }
    };
}
