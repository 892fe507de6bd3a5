/**
 * Shows a value in a few characters: what an await came to, in a trace.
 *
 * It must not run a line of the program's code, or a recorded run would differ from one that is not
 * recorded: no getter, no proxy trap, no toString or inspect function is called.
 */

import { types } from 'node:util';

const TEXT_MAX = 40;
const ENTRIES_MAX = 4;
const DEPTH_MAX = 2;
const VALUE_MAX = 120;

/** The value as short text, the same for equal values in every run. */
export function shorten(value: unknown): string {
  return cut(show(value, 0), VALUE_MAX);
}

function show(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(cut(value, TEXT_MAX));
    case 'bigint':
      return `${value}n`;
    case 'symbol':
      return 'symbol';
    case 'function':
      return 'function';
    case 'object':
      return value === null ? 'null' : showObject(value, depth);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

function showObject(object: object, depth: number): string {
  if (types.isProxy(object)) return 'Proxy';
  const name = classOf(object);
  if (types.isNativeError(object)) {
    const message = dataOf(object, 'message');
    return typeof message === 'string' ? `${name}: ${cut(message, TEXT_MAX)}` : name;
  }
  if (Array.isArray(object)) return showArray(object, depth);
  if (name !== 'Object' && name !== '') {
    return depth < DEPTH_MAX ? `${name} ${showEntries(object, depth)}`.replace(/ \{\}$/, '') : name;
  }
  return showEntries(object, depth);
}

function showArray(array: readonly unknown[], depth: number): string {
  if (array.length === 0) return '[]';
  if (depth >= DEPTH_MAX) return `[… ${array.length}]`;
  const shown: string[] = [];
  for (let i = 0; i < Math.min(array.length, ENTRIES_MAX); i++) {
    shown.push(showProperty(array, String(i), depth));
  }
  if (array.length > ENTRIES_MAX) shown.push(`… ${array.length}`);
  return `[${shown.join(', ')}]`;
}

function showEntries(object: object, depth: number): string {
  const names = ArrayBuffer.isView(object) ? [] : Object.keys(object);
  if (names.length === 0) return '{}';
  if (depth >= DEPTH_MAX) return '{…}';
  const shown = names
    .slice(0, ENTRIES_MAX)
    .map((name) => `${cut(name, TEXT_MAX)}: ${showProperty(object, name, depth)}`);
  if (names.length > ENTRIES_MAX) shown.push('…');
  return `{${shown.join(', ')}}`;
}

function showProperty(object: object, name: string, depth: number): string {
  const property = Object.getOwnPropertyDescriptor(object, name);
  if (property === undefined) return '';
  return 'value' in property ? show(property.value, depth + 1) : '(getter)';
}

/** The name of the constructor, as far as it is plain data. */
function classOf(object: object): string {
  for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at) as object) {
    if (types.isProxy(at)) return '';
    const made = dataOf(at, 'constructor');
    if (typeof made !== 'function' || types.isProxy(made)) continue;
    const name = dataOf(made, 'name');
    return typeof name === 'string' ? cut(name, TEXT_MAX) : '';
  }
  return '';
}

function dataOf(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value as unknown;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
