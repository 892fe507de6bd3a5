/** Functions on json and jsonb, and any value as JSON. */

import { SqlError } from '../errors.js';
import { formatTimestamp } from '../types/datetime.js';
import {
  changeJson,
  formatJson,
  Jsonb,
  jsonbPath,
  jsonText,
  jsonType,
  objectOf,
  type JsonTree,
} from '../types/json.js';
import { Numeric } from '../types/numeric.js';
import { Row, type Type } from '../types/type.js';
import * as t from '../types/types.js';
import type { Run } from '../sql/expr.js';
import { fn, runFn } from './overloads.js';
import { outputText } from './output.js';

const { JSONB, JSON_TYPE, TEXT, INT4, BOOL } = t;

/** A value as a tree of jsonb (datum_to_jsonb). */
export function toTree(type: Type, value: any, run: Run): JsonTree {
  if (value === null) return null;
  if (type === JSONB) return (value as Jsonb).tree;
  if (type === JSON_TYPE) return JSONB.parse(value).tree;
  if (type === t.BOOL) return value;
  if (Array.isArray(value) && type.element !== undefined) {
    return value.map((item) => toTree(Array.isArray(item) ? type : type.element!, item, run));
  }
  if (value instanceof Row) {
    return objectOf(value.values.map((v, i) => [value.names[i]!, toTree(value.types[i]!, v, run)]));
  }
  if (type === t.TIMESTAMP || type === t.TIMESTAMPTZ) return isoText(type, value);
  if (type.category === 'N' && type !== t.REGCLASS) {
    const text = type.format(value);
    return /^-?[\d.e+-]+$/.test(text) ? Numeric.parse(text) : text;
  }
  return outputText(type, value, run);
}

const isoText = (type: Type, value: number) =>
  formatTimestamp(value, 'T') + (type === t.TIMESTAMPTZ && Number.isFinite(value) ? '+00:00' : '');

/** A value as text of json (datum_to_json): compact, keys in their own order. */
export function toJsonText(type: Type, value: any, run: Run): string {
  if (value === null) return 'null';
  if (type === JSON_TYPE) return value;
  if (Array.isArray(value) && type.element !== undefined) {
    const items = value.map((item) =>
      toJsonText(Array.isArray(item) ? type : type.element!, item, run),
    );
    return `[${items.join(',')}]`;
  }
  if (value instanceof Row) {
    const entries = value.values.map(
      (v, i) => `${JSON.stringify(value.names[i])}:${toJsonText(value.types[i]!, v, run)}`,
    );
    return `{${entries.join(',')}}`;
  }
  if (type.category === 'N' && type !== t.REGCLASS) {
    const text = type.format(value);
    return /^-?[\d.e+-]+$/.test(text) ? text : JSON.stringify(text);
  }
  return formatJson(toTree(type, value, run));
}

runFn('to_jsonb', ['anyelement'], JSONB, ([v], run, [type]) => new Jsonb(toTree(type!, v, run)));
runFn('to_json row_to_json array_to_json', ['anyelement'], JSON_TYPE, ([v], run, [type]) =>
  toJsonText(type!, v, run),
);

function keyText(type: Type, value: any, run: Run, at: number): string {
  if (value === null) throw new SqlError('22023', `argument ${at + 1}: key must not be null`);
  return outputText(type, value, run);
}
const evenCount = (args: any[]) => {
  if (args.length % 2 === 0) return;
  throw new SqlError('22023', 'argument list must have even number of elements', {
    hint: 'The arguments of json_build_object() must consist of alternating keys and values.',
  });
};
const any = { variadic: true, nulls: true } as const;
runFn(
  'jsonb_build_object',
  ['any'],
  JSONB,
  (args, run, types) => {
    evenCount(args);
    const entries: [string, JsonTree][] = [];
    for (let i = 0; i < args.length; i += 2) {
      entries.push([keyText(types[i]!, args[i], run, i), toTree(types[i + 1]!, args[i + 1], run)]);
    }
    return new Jsonb(objectOf(entries));
  },
  any,
);
runFn(
  'json_build_object',
  ['any'],
  JSON_TYPE,
  (args, run, types) => {
    evenCount(args);
    const entries: string[] = [];
    for (let i = 0; i < args.length; i += 2) {
      const key = JSON.stringify(keyText(types[i]!, args[i], run, i));
      entries.push(`${key} : ${toJsonText(types[i + 1]!, args[i + 1], run)}`);
    }
    return `{${entries.join(', ')}}`;
  },
  any,
);
runFn(
  'jsonb_build_array',
  ['any'],
  JSONB,
  (args, run, types) => new Jsonb(args.map((arg, i) => toTree(types[i]!, arg, run))),
  any,
);
runFn(
  'json_build_array',
  ['any'],
  JSON_TYPE,
  (args, run, types) => `[${args.map((arg, i) => toJsonText(types[i]!, arg, run)).join(', ')}]`,
  any,
);

const treeOf = (value: Jsonb | string): JsonTree =>
  value instanceof Jsonb ? value.tree : JSONB.parse(value).tree;
for (const [prefix, type] of [
  ['jsonb', JSONB],
  ['json', JSON_TYPE],
] as const) {
  const box = (tree: JsonTree | undefined) =>
    tree === undefined ? null : type === JSONB ? new Jsonb(tree) : formatJson(tree, true);
  const array = (value: any, what: string): JsonTree[] => {
    const tree = treeOf(value);
    if (Array.isArray(tree)) return tree;
    const got = tree instanceof Map ? 'an object' : 'a scalar';
    throw new SqlError('22023', what.replace('%', got));
  };
  fn(`${prefix}_typeof`, [type], TEXT, (v) => jsonType(treeOf(v)));
  fn(`${prefix}_array_length`, [type], INT4, (v) => {
    const tree = treeOf(v);
    if (Array.isArray(tree)) return tree.length;
    const kind = tree instanceof Map ? 'a non-array' : 'a scalar';
    throw new SqlError('22023', `cannot get array length of ${kind}`);
  });
  const extract = `cannot extract elements from %`;
  fn(`${prefix}_array_elements`, [type], type, (v) => array(v, extract).map(box), {
    set: true,
    columns: [['value', type]],
  });
  fn(`${prefix}_array_elements_text`, [type], TEXT, (v) => array(v, extract).map(jsonText), {
    set: true,
    columns: [['value', TEXT]],
  });
  const entries = (v: any) => {
    const tree = treeOf(v);
    if (tree instanceof Map) return [...tree];
    throw new SqlError('22023', `cannot call ${prefix}_each on a non-object`);
  };
  fn(`${prefix}_object_keys`, [type], TEXT, (v) => entries(v).map(([key]) => key), { set: true });
  fn(
    `${prefix}_each`,
    [type],
    t.RECORD,
    (v) => entries(v).map(([key, value]) => [key, box(value)]),
    {
      set: true,
      columns: [
        ['key', TEXT],
        ['value', type],
      ],
    },
  );
  fn(
    `${prefix}_each_text`,
    [type],
    t.RECORD,
    (v) => entries(v).map(([key, value]) => [key, jsonText(value)]),
    {
      set: true,
      columns: [
        ['key', TEXT],
        ['value', TEXT],
      ],
    },
  );
  fn(
    `${prefix}_extract_path`,
    [type, TEXT],
    type,
    (v, ...path) => box(jsonbPath(treeOf(v), path)),
    { variadic: true },
  );
  fn(
    `${prefix}_extract_path_text`,
    [type, TEXT],
    TEXT,
    (v, ...path) => jsonText(jsonbPath(treeOf(v), path)),
    { variadic: true },
  );
  const strip = (tree: JsonTree): JsonTree =>
    Array.isArray(tree)
      ? tree.map(strip)
      : tree instanceof Map
        ? objectOf([...tree].filter(([, v]) => v !== null).map(([k, v]) => [k, strip(v)]))
        : tree;
  fn(`${prefix}_strip_nulls`, [type], type, (v) => box(strip(treeOf(v))));
}
fn(
  'jsonb_set',
  [JSONB, TEXT.array!, JSONB, BOOL],
  JSONB,
  ({ tree }: Jsonb, path: string[], to: Jsonb, create = true) =>
    new Jsonb(
      changeJson(tree, path, (old) => (old === undefined && !create ? undefined : to.tree)),
    ),
  { minimum: 3 },
);
fn(
  'jsonb_insert',
  [JSONB, TEXT.array!, JSONB, BOOL],
  JSONB,
  ({ tree }: Jsonb, path: string[], to: Jsonb, after = false) => {
    const parent = path.slice(0, -1);
    const last = path.at(-1)!;
    const insert = (old: JsonTree | undefined): JsonTree | undefined => {
      if (!Array.isArray(old)) {
        if (old instanceof Map && old.has(last))
          throw new SqlError('22023', 'cannot replace existing key');
        return old === undefined ? old : changeJson(old, [last], () => to.tree);
      }
      const at = Number(last) < 0 ? old.length + Number(last) : Number(last);
      return [...old.slice(0, at + Number(after)), to.tree, ...old.slice(at + Number(after))];
    };
    return new Jsonb(parent.length === 0 ? insert(tree)! : changeJson(tree, parent, insert));
  },
  { minimum: 3 },
);
fn('jsonb_pretty', [JSONB], TEXT, ({ tree }: Jsonb) => pretty(tree, ''));
function pretty(tree: JsonTree, indent: string): string {
  const inner = `${indent}    `;
  if (Array.isArray(tree)) {
    if (tree.length === 0) return `[\n${indent}]`;
    return `[\n${tree.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (!(tree instanceof Map)) return formatJson(tree);
  if (tree.size === 0) return `{\n${indent}}`;
  const entries = [...tree].map(
    ([key, v]) => `${inner}${JSON.stringify(key)}: ${pretty(v, inner)}`,
  );
  return `{\n${entries.join(',\n')}\n${indent}}`;
}
