/**
 * json and jsonb. jsonb is a tree whose numbers are exact decimals and whose keys stand in
 * PostgreSQL's order (shorter first, then by bytes); json keeps its text, and parts of it are
 * slices of that text.
 */

import { SqlError } from '../errors.js';
import { Numeric } from './numeric.js';

export type JsonTree = null | boolean | string | Numeric | JsonTree[] | Map<string, JsonTree>;

/** A value of type jsonb; a wrapper, because JSON's null is not SQL's. */
export class Jsonb {
  constructor(readonly tree: JsonTree) {}
}

/** A parsed part of a text, and where it stands there. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly tree: JsonTree;
  readonly entries: readonly { key: string; span: Span }[];
}

function invalid(type: string, detail: string): SqlError {
  return new SqlError('22P02', `invalid input syntax for type ${type}`, { detail });
}

class Parser {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly type: string,
  ) {}

  whole(): Span {
    const span = this.value();
    this.space();
    if (this.at < this.text.length) throw this.unexpected('Expected end of input');
    return span;
  }

  private space(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) this.at += 1;
  }

  private unexpected(expected: string): SqlError {
    if (this.at >= this.text.length)
      return invalid(this.type, 'The input string ended unexpectedly.');
    const token = /^[\w.+-]+|^./.exec(this.text.slice(this.at))![0];
    if (/^[a-z]/i.test(token)) return invalid(this.type, `Token "${token}" is invalid.`);
    return invalid(this.type, `${expected}, but found "${token}".`);
  }

  private value(): Span {
    this.space();
    const start = this.at;
    const char = this.text[start];
    const entries: { key: string; span: Span }[] = [];
    let tree: JsonTree;
    if (char === '{') tree = this.object(entries);
    else if (char === '[') tree = this.array(entries);
    else if (char === '"') tree = this.string();
    else tree = this.scalar();
    return { start, end: this.at, tree, entries };
  }

  private scalar(): JsonTree {
    const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      this.text.slice(this.at, this.at + 400),
    )?.[0];
    if (word === undefined) throw this.unexpected('Expected JSON value');
    this.at += word.length;
    if (word === 'null') return null;
    return word === 'true' || word === 'false' ? word === 'true' : Numeric.parse(word);
  }

  private string(): string {
    const match = /"(?:[^"\\\n]|\\.)*"/y;
    match.lastIndex = this.at;
    const found = match.exec(this.text);
    if (found === null) throw this.unexpected('Expected string');
    this.at = match.lastIndex;
    try {
      return JSON.parse(found[0]) as string;
    } catch {
      throw invalid(this.type, `Token "${found[0]}" is invalid.`);
    }
  }

  private object(entries: { key: string; span: Span }[]): JsonTree {
    this.at += 1;
    this.space();
    if (this.text[this.at] === '}') this.at += 1;
    else {
      for (;;) {
        this.space();
        if (this.text[this.at] !== '"') throw this.unexpected('Expected string or "}"');
        const key = this.string();
        this.space();
        if (this.text[this.at] !== ':') throw this.unexpected('Expected ":"');
        this.at += 1;
        entries.push({ key, span: this.value() });
        this.space();
        const next = this.text[this.at];
        if (next !== ',' && next !== '}') throw this.unexpected('Expected "," or "}"');
        this.at += 1;
        if (next === '}') break;
      }
    }
    return objectOf(entries.map(({ key, span }) => [key, span.tree]));
  }

  private array(entries: { key: string; span: Span }[]): JsonTree {
    this.at += 1;
    this.space();
    if (this.text[this.at] === ']') this.at += 1;
    else {
      for (;;) {
        entries.push({ key: String(entries.length), span: this.value() });
        this.space();
        const next = this.text[this.at];
        if (next !== ',' && next !== ']') throw this.unexpected('Expected "," or "]"');
        this.at += 1;
        if (next === ']') break;
      }
    }
    return entries.map(({ span }) => span.tree);
  }
}

/** The last of equal keys counts. */
export function objectOf(entries: readonly (readonly [string, JsonTree])[]): Map<string, JsonTree> {
  const sorted = [...new Map(entries)].sort(
    ([a], [b]) =>
      Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return new Map(sorted);
}

export const parseJsonb = (text: string): Jsonb => new Jsonb(new Parser(text, 'json').whole().tree);

export function checkJson(text: string): string {
  new Parser(text, 'json').whole();
  return text;
}

/** The text of a part of a json text: a key of an object, or an element of an array. */
export function jsonPart(text: string, key: string | number): string | null {
  const { entries, tree } = new Parser(text, 'json').whole();
  if (typeof key === 'number') {
    if (!Array.isArray(tree)) return null;
    const span = entries[key < 0 ? entries.length + key : key]?.span;
    return span === undefined ? null : text.slice(span.start, span.end);
  }
  if (!(tree instanceof Map)) return null;
  const span = entries.findLast((entry) => entry.key === key)?.span;
  return span === undefined ? null : text.slice(span.start, span.end);
}

export function jsonbPart(tree: JsonTree, key: string | number): JsonTree | undefined {
  if (typeof key === 'number') {
    return Array.isArray(tree) ? tree[key < 0 ? tree.length + key : key] : undefined;
  }
  return tree instanceof Map ? tree.get(key) : undefined;
}

/** As `#>` goes: what looks like a number is an index where there is an array. */
export function jsonbPath(tree: JsonTree, path: readonly string[]): JsonTree | undefined {
  let at: JsonTree | undefined = tree;
  for (const key of path) {
    if (at === undefined) return undefined;
    if (Array.isArray(at)) at = /^-?\d+$/.test(key) ? jsonbPart(at, Number(key)) : undefined;
    else at = jsonbPart(at, key);
  }
  return at;
}

/** Text of jsonb, with a space after each colon and comma; compact is what row_to_json gives. */
export function formatJson(tree: JsonTree, compact = false): string {
  if (tree === null || typeof tree === 'boolean') return String(tree);
  if (typeof tree === 'string') return JSON.stringify(tree);
  if (tree instanceof Numeric) return tree.toString();
  const comma = compact ? ',' : ', ';
  if (Array.isArray(tree)) return `[${tree.map((item) => formatJson(item, compact)).join(comma)}]`;
  const colon = compact ? ':' : ': ';
  const entries = [...tree].map(
    ([key, value]) => JSON.stringify(key) + colon + formatJson(value, compact),
  );
  return `{${entries.join(comma)}}`;
}

/** What `->>` gives: a string without its quotes. */
export function jsonText(tree: JsonTree | undefined): string | null {
  if (tree === undefined || tree === null) return null;
  return typeof tree === 'string' ? tree : formatJson(tree);
}

export function jsonType(tree: JsonTree): string {
  if (tree === null) return 'null';
  if (Array.isArray(tree)) return 'array';
  if (tree instanceof Map) return 'object';
  return tree instanceof Numeric ? 'number' : typeof tree;
}

const RANK = ['null', 'string', 'number', 'boolean', 'array', 'object'];

export function compareJson(a: JsonTree, b: JsonTree): number {
  const [rankA, rankB] = [RANK.indexOf(jsonType(a)), RANK.indexOf(jsonType(b))];
  if (rankA !== rankB) return rankA - rankB;
  if (a instanceof Numeric) return a.compare(b as Numeric);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (Array.isArray(a) || a instanceof Map) {
    const [listA, listB] = [a, b].map((tree) =>
      Array.isArray(tree) ? tree : [...(tree as Map<string, JsonTree>)].flat(),
    ) as [JsonTree[], JsonTree[]];
    if (listA.length !== listB.length) return listA.length - listB.length;
    for (let i = 0; i < listA.length; i += 1) {
      const order = compareJson(listA[i]!, listB[i]!);
      if (order !== 0) return order;
    }
  }
  return 0;
}

/** `a @> b`. */
export function containsJson(a: JsonTree, b: JsonTree, top = true): boolean {
  if (a instanceof Map && b instanceof Map) {
    return [...b].every(([key, value]) => a.has(key) && containsJson(a.get(key)!, value, false));
  }
  if (Array.isArray(a)) {
    if (Array.isArray(b)) return b.every((item) => a.some((own) => containsJson(own, item, false)));
    // An array may contain a primitive value, at the top only.
    return top && !(b instanceof Map) && a.some((own) => compareJson(own, b) === 0);
  }
  return !(a instanceof Map) && jsonType(a) === jsonType(b) && compareJson(a, b) === 0;
}

/** jsonb_set and `#-`: `change` gives the new value at the path, undefined takes it away. */
export function changeJson(
  tree: JsonTree,
  path: readonly string[],
  change: (old: JsonTree | undefined) => JsonTree | undefined,
): JsonTree {
  const [key, ...rest] = path as [string, ...string[]];
  if (tree instanceof Map) {
    const old = tree.get(key);
    if (rest.length > 0 && old === undefined) return tree;
    const value = rest.length > 0 ? changeJson(old!, rest, change) : change(old);
    const entries = [...tree].filter(([name]) => name !== key);
    return objectOf(value === undefined ? entries : [...entries, [key, value]]);
  }
  if (!Array.isArray(tree)) return tree;
  if (!/^-?\d+$/.test(key)) {
    throw new SqlError('22P02', `path element at position 1 is not an integer: "${key}"`);
  }
  const at = Number(key) < 0 ? tree.length + Number(key) : Number(key);
  const old = tree[at];
  if (rest.length > 0 && old === undefined) return tree;
  const value = rest.length > 0 ? changeJson(old!, rest, change) : change(old);
  const copy = [...tree];
  if (old === undefined) {
    if (value !== undefined) {
      if (at < 0) copy.unshift(value);
      else copy.push(value);
    }
  } else if (value === undefined) copy.splice(at, 1);
  else copy[at] = value;
  return copy;
}
