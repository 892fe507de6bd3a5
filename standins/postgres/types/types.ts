/**
 * The types there are, by name and by OID. OIDs are those of PostgreSQL's catalog, because clients
 * know them by heart.
 */

import { invalidText, outOfRange, SqlError } from '../errors.js';
import {
  DAY,
  formatDate,
  formatInterval,
  formatTime,
  formatTimestamp,
  Interval,
  parseDate,
  parseInterval,
  parseTime,
  parseTimestamp,
} from './datetime.js';
import { checkJson, compareJson, formatJson, type Jsonb, parseJsonb } from './json.js';
import { Numeric } from './numeric.js';
import { receiveNumeric, sendNumeric } from './numeric-bytes.js';
import { arrayOf, type Row, type Category, type Type } from './type.js';

const byOid = new Map<number, Type>();
const byName = new Map<string, Type>();

export function typeByOid(oid: number): Type | undefined {
  return byOid.get(oid);
}

/** @param name as in pg_type, or one of the names that only SQL has */
export function baseType(name: string): Type | undefined {
  return byName.get(name) ?? byName.get(ALIASES[name] ?? '');
}

export const baseTypes = (): IterableIterator<Type> => byOid.values();

const ALIASES: Record<string, string> = {
  int: 'int4',
  integer: 'int4',
  smallint: 'int2',
  bigint: 'int8',
  real: 'float4',
  double: 'float8',
  decimal: 'numeric',
  boolean: 'bool',
  character: 'bpchar',
};

type Definition = Partial<Type> & Pick<Type, 'parse'>;

const order = (a: any, b: any) => (a < b ? -1 : a > b ? 1 : 0);

function define(
  name: string,
  [oid, arrayOid]: [number, number],
  [category, sqlName, length]: [Category, string, number],
  definition: Definition,
): Type {
  const type: Type = {
    oid,
    name,
    sqlName,
    category,
    length,
    preferred: false,
    format: String,
    compare: order,
    key: String,
    ...definition,
  };
  byOid.set(oid, type);
  byName.set(name, type);
  if (arrayOid !== 0) {
    const array = arrayOf(type, arrayOid);
    byOid.set(arrayOid, array);
    byName.set(array.name, array);
  }
  return type;
}

const buffer = (size: number, write: (bytes: Buffer) => unknown): Buffer => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
};

function integer(name: string, oids: [number, number], sqlName: string, bits: 16 | 32): Type {
  const limit = 2 ** (bits - 1);
  return define(name, oids, ['N', sqlName, bits / 8], {
    parse(text) {
      if (!/^\s*[+-]?\d+\s*$/.test(text)) throw invalidText(sqlName, text);
      const value = Number(text);
      if (value < -limit || value >= limit) {
        throw new SqlError('22003', `value "${text}" is out of range for type ${sqlName}`);
      }
      return value;
    },
    receive: (bytes) => (bits === 16 ? bytes.readInt16BE() : bytes.readInt32BE()),
    send: (value) =>
      buffer(bits / 8, (to) => (bits === 16 ? to.writeInt16BE(value) : to.writeInt32BE(value))),
  });
}

function float(name: string, oids: [number, number], sqlName: string, bytes: 4 | 8): Type {
  const rounded = bytes === 4 ? Math.fround : Number;
  return define(name, oids, ['N', sqlName, bytes], {
    preferred: bytes === 8,
    parse(text) {
      const trimmed = text.trim();
      if (/^[+-]?inf(inity)?$/i.test(trimmed))
        return trimmed.startsWith('-') ? -Infinity : Infinity;
      if (/^nan$/i.test(trimmed)) return NaN;
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) throw invalidText(sqlName, text);
      return rounded(Number(trimmed));
    },
    format: (value: number) => formatFloat(value, bytes),
    compare: (a: number, b: number) =>
      Number.isNaN(a) || Number.isNaN(b)
        ? Number(Number.isNaN(a)) - Number(Number.isNaN(b))
        : order(a, b),
    key: (value: number) => String(value === 0 ? 0 : value),
    receive: (from) => (bytes === 4 ? from.readFloatBE() : from.readDoubleBE()),
    send: (value) =>
      buffer(bytes, (to) => (bytes === 4 ? to.writeFloatBE(value) : to.writeDoubleBE(value))),
  });
}

/** The shortest text that gives the number back. */
function formatFloat(value: number, bytes: 4 | 8): string {
  let text = Object.is(value, -0) ? '-0' : String(value);
  if (bytes === 4) {
    for (let digits = 1; digits <= 9; digits += 1) {
      text = String(Number(value.toPrecision(digits)));
      if (Math.fround(Number(text)) === value) break;
    }
  }
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const limit = bytes === 4 ? 6 : 15;
  if (value === 0 || !Number.isFinite(value) || (exponent >= -4 && exponent < limit)) return text;
  const [mantissa, power] = Number(text).toExponential().split('e') as [string, string];
  return `${mantissa}e${power[0]}${power.slice(1).padStart(2, '0')}`;
}

const byBytes = (a: string, b: string) => {
  if (a === b) return 0;
  // UTF-16 order is code point order below the surrogates, and quicker.
  return /[\ud800-\uffff]/.test(a + b)
    ? Buffer.compare(Buffer.from(a), Buffer.from(b))
    : order(a, b);
};

const stringly = {
  compare: byBytes,
  receive: (bytes: Buffer) => bytes.toString('utf8'),
  send: (value: string) => Buffer.from(value, 'utf8'),
};

export const BOOL = define('bool', [16, 1000], ['B', 'boolean', 1], {
  preferred: true,
  parse(text) {
    const word = text.trim().toLowerCase();
    if (word !== '') {
      if ('true'.startsWith(word) || 'yes'.startsWith(word) || word === 'on' || word === '1')
        return true;
      if ('false'.startsWith(word) || 'no'.startsWith(word) || /^(off?|0)$/.test(word))
        return false;
    }
    throw invalidText('boolean', text);
  },
  format: (value) => (value ? 't' : 'f'),
  receive: (bytes) => bytes[0] !== 0,
  send: (value) => Buffer.from([value ? 1 : 0]),
});

export const BYTEA = define('bytea', [17, 1001], ['U', 'bytea', -1], {
  parse(text) {
    if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex');
    const plain = text.replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(parseInt(octal, 8)),
    );
    return Buffer.from(plain.replace(/\\\\/g, '\\'), 'latin1');
  },
  format: (value: Buffer) => `\\x${value.toString('hex')}`,
  compare: (a, b) => Buffer.compare(a, b),
  key: (value: Buffer) => value.toString('latin1'),
  receive: (bytes) => Buffer.from(bytes),
  send: (value) => value,
});

export const INT2 = integer('int2', [21, 1005], 'smallint', 16);
/** The columns of an index: an array that is written with spaces. */
export const INT2VECTOR: Type = {
  ...INT2.array!,
  oid: 22,
  name: 'int2vector',
  sqlName: 'int2vector',
  format: (numbers: readonly number[]) => numbers.join(' '),
};
byOid.set(INT2VECTOR.oid, INT2VECTOR);
byName.set(INT2VECTOR.name, INT2VECTOR);
export const INT4 = integer('int4', [23, 1007], 'integer', 32);
export const INT8 = define('int8', [20, 1016], ['N', 'bigint', 8], {
  parse(text) {
    if (!/^\s*[+-]?\d+\s*$/.test(text)) throw invalidText('bigint', text);
    const value = BigInt(text.trim().replace(/^\+/, ''));
    if (BigInt.asIntN(64, value) === value) return value;
    throw new SqlError('22003', `value "${text}" is out of range for type bigint`);
  },
  receive: (bytes) => bytes.readBigInt64BE(),
  send: (value) => buffer(8, (to) => to.writeBigInt64BE(value)),
});
export const FLOAT4 = float('float4', [700, 1021], 'real', 4);
export const FLOAT8 = float('float8', [701, 1022], 'double precision', 8);
export const NUMERIC = define('numeric', [1700, 1231], ['N', 'numeric', -1], {
  parse: Numeric.parse,
  compare: (a: Numeric, b: Numeric) => a.compare(b),
  key: (value: Numeric) => value.key(),
  receive: receiveNumeric,
  send: sendNumeric,
});
const oid = (name: string, oids: [number, number], category: Category = 'N') =>
  define(name, oids, [category, name, 4], {
    parse(text) {
      if (!/^\s*\d+\s*$/.test(text)) throw invalidText(name, text);
      return Number(text);
    },
    preferred: name === 'oid',
    receive: (bytes) => bytes.readUInt32BE(),
    send: (value) => buffer(4, (to) => to.writeUInt32BE(value)),
  });
export const OID = oid('oid', [26, 1028]);
export const REGCLASS = oid('regclass', [2205, 2210]);
export const REGTYPE = oid('regtype', [2206, 2211]);
export const REGPROC = oid('regproc', [24, 1008]);
export const REGNAMESPACE = oid('regnamespace', [4089, 4090]);
export const XID = oid('xid', [28, 1011], 'U');

export const TEXT = define('text', [25, 1009], ['S', 'text', -1], {
  ...stringly,
  preferred: true,
  parse: (text) => text,
});
export const VARCHAR = define('varchar', [1043, 1015], ['S', 'character varying', -1], {
  ...stringly,
  parse: (text) => text,
});
export const BPCHAR = define('bpchar', [1042, 1014], ['S', 'character', -1], {
  ...stringly,
  parse: (text) => text,
  compare: (a: string, b: string) => byBytes(a.replace(/ +$/, ''), b.replace(/ +$/, '')),
  key: (value: string) => value.replace(/ +$/, ''),
});
export const NAME = define('name', [19, 1003], ['S', 'name', 64], {
  ...stringly,
  parse: (text) => text.slice(0, 63),
});
export const CHAR = define('char', [18, 1002], ['S', '"char"', 1], {
  ...stringly,
  parse: (text) => text.slice(0, 1),
});

/** Binary instants count from 2000-01-01. */
const EPOCH = 946_684_800;
const sendMicros = (value: number) =>
  buffer(8, (to) => {
    if (Number.isFinite(value)) return to.writeBigInt64BE(BigInt(value - EPOCH * 1_000_000));
    return to.writeBigInt64BE(value > 0 ? 2n ** 63n - 1n : -(2n ** 63n));
  });
const receiveMicros = (bytes: Buffer) => {
  const value = bytes.readBigInt64BE();
  if (value === 2n ** 63n - 1n) return Infinity;
  return value === -(2n ** 63n) ? -Infinity : Number(value) + EPOCH * 1_000_000;
};

export const DATE = define('date', [1082, 1182], ['D', 'date', 4], {
  parse: parseDate,
  format: formatDate,
  receive: (bytes) => bytes.readInt32BE() + EPOCH / 86_400,
  send: (value) => buffer(4, (to) => to.writeInt32BE(value - EPOCH / 86_400)),
});
export const TIME = define('time', [1083, 1183], ['D', 'time without time zone', 8], {
  parse: parseTime,
  format: formatTime,
  receive: (bytes) => Number(bytes.readBigInt64BE()),
  send: (value) => buffer(8, (to) => to.writeBigInt64BE(BigInt(value))),
});
export const TIMESTAMP = define(
  'timestamp',
  [1114, 1115],
  ['D', 'timestamp without time zone', 8],
  {
    parse: (text) => parseTimestamp(text, 'timestamp', false),
    format: (value: number) => formatTimestamp(value),
    receive: receiveMicros,
    send: sendMicros,
  },
);
export const TIMESTAMPTZ = define(
  'timestamptz',
  [1184, 1185],
  ['D', 'timestamp with time zone', 8],
  {
    preferred: true,
    parse: (text) => parseTimestamp(text, 'timestamp with time zone', true),
    format: (value: number) => formatTimestamp(value) + (Number.isFinite(value) ? '+00' : ''),
    receive: receiveMicros,
    send: sendMicros,
  },
);
export const INTERVAL = define('interval', [1186, 1187], ['T', 'interval', 16], {
  preferred: true,
  parse: parseInterval,
  format: formatInterval,
  compare: (a: Interval, b: Interval) => a.span() - b.span(),
  key: (value: Interval) => String(value.span()),
  receive: (bytes) =>
    new Interval(bytes.readInt32BE(12), bytes.readInt32BE(8), Number(bytes.readBigInt64BE(0))),
  send: (value: Interval) =>
    buffer(16, (to) => {
      to.writeBigInt64BE(BigInt(value.micros), 0);
      to.writeInt32BE(value.days, 8);
      to.writeInt32BE(value.months, 12);
    }),
});
export const UUID = define('uuid', [2950, 2951], ['U', 'uuid', 16], {
  parse(text) {
    const hex = text
      .trim()
      .toLowerCase()
      .replace(/^\{|\}$/g, '')
      .replace(/-/g, '');
    if (!/^[\da-f]{32}$/.test(hex)) throw invalidText('uuid', text);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  },
  receive: (bytes) => UUID.parse(bytes.toString('hex')),
  send: (value: string) => Buffer.from(value.replace(/-/g, ''), 'hex'),
});
export const JSON_TYPE = define('json', [114, 199], ['U', 'json', -1], {
  ...stringly,
  parse: checkJson,
});
export const JSONB = define('jsonb', [3802, 3807], ['U', 'jsonb', -1], {
  parse: parseJsonb,
  format: (value: Jsonb) => formatJson(value.tree),
  compare: (a: Jsonb, b: Jsonb) => compareJson(a.tree, b.tree),
  key: (value: Jsonb) =>
    formatJson(value.tree).replace(/(?<=[:,[] ?|^)-?\d[\d.]*(?=[,\]}]|$)/g, (n) =>
      Numeric.parse(n).key(),
    ),
  // Binary jsonb is its text behind a version number.
  receive: (bytes) => parseJsonb(bytes.subarray(1).toString('utf8')),
  send: (value: Jsonb) => Buffer.concat([Buffer.from([1]), Buffer.from(formatJson(value.tree))]),
});

const pseudo = (name: string, id: number, array = 0) =>
  define(name, [id, array], ['P', name, -1], { parse: (text) => text });
export const RECORD = define('record', [2249, 2287], ['P', 'record', -1], {
  parse(text) {
    throw new SqlError('0A000', `input of anonymous composite types is not implemented: ${text}`);
  },
  format: formatRow,
  compare: compareRows,
  key: (row: Row) =>
    JSON.stringify(
      row.values.map((value, i) => (value === null ? null : row.types[i]!.key(value))),
    ),
});
export const VOID = pseudo('void', 2278);
export const UNKNOWN = define('unknown', [705, 0], ['X', 'unknown', -2], {
  ...stringly,
  parse: (text) => text,
});

function formatRow(row: Row): string {
  const items = row.values.map((value, i) => {
    if (value === null) return '';
    const text = row.types[i]!.format(value);
    return /^$|[(),"\\\s]/.test(text) ? `"${text.replace(/["\\]/g, '$&$&')}"` : text;
  });
  return `(${items.join(',')})`;
}

function compareRows(a: Row, b: Row): number {
  if (a.values.length !== b.values.length) {
    throw new SqlError('42804', 'cannot compare record types with different numbers of columns');
  }
  for (let i = 0; i < a.values.length; i += 1) {
    const [x, y] = [a.values[i], b.values[i]];
    const cmp =
      x === null || y === null
        ? Number(x === null) - Number(y === null)
        : a.types[i]!.compare(x, y);
    if (cmp !== 0) return cmp;
  }
  return 0;
}

/** An enum; its values are its labels. */
export function enumType(name: string, oids: [number, number], labels: string[]): Type {
  const type: Type = {
    ...TEXT,
    oid: oids[0],
    name,
    sqlName: name,
    category: 'E',
    preferred: false,
    length: 4,
    labels,
    array: undefined,
    parse(text) {
      if (labels.includes(text)) return text;
      throw new SqlError('22P02', `invalid input value for enum ${name}: "${text}"`);
    },
    receive: (bytes) => type.parse(bytes.toString('utf8')),
    compare: (a, b) => labels.indexOf(a) - labels.indexOf(b),
  };
  arrayOf(type, oids[1]);
  return type;
}

/** What a declared length or precision makes of a value; `explicit` casts cut, others complain. */
export function applyTypmod(
  type: Type,
  typmod: readonly number[],
  value: any,
  explicit: boolean,
): any {
  if (value === null || typmod.length === 0) return value;
  if (type.element !== undefined) {
    return value.map((item: any) => applyTypmod(type.element!, typmod, item, explicit));
  }
  const [first, second = 0] = typmod as [number, number?];
  if (type === VARCHAR || type === BPCHAR) {
    const characters = [...(value as string)];
    if (characters.length > first) {
      const rest = characters.slice(first).join('');
      if (!explicit && /[^ ]/.test(rest)) {
        throw new SqlError('22001', `value too long for type ${type.sqlName}(${first})`);
      }
      return characters.slice(0, first).join('');
    }
    return type === BPCHAR ? value + ' '.repeat(first - characters.length) : value;
  }
  if (type === NUMERIC) {
    const rounded = (value as Numeric).round(second);
    if (rounded.abs().compare(Numeric.parse(`1e${first - second}`)) >= 0) {
      const limit = first === second ? '1' : `10^${first - second}`;
      throw new SqlError('22003', 'numeric field overflow', {
        detail:
          `A field with precision ${first}, scale ${second} must round to an absolute value ` +
          `less than ${limit}.`,
      });
    }
    return rounded;
  }
  if (type === TIMESTAMP || type === TIMESTAMPTZ || type === TIME) {
    const unit = 10 ** (6 - first);
    return Math.round(value / unit) * unit;
  }
  return value;
}

/** A whole number as a value of an integer type. */
export function fitInteger(type: Type, value: bigint | number): any {
  if (type === INT8) {
    const big = BigInt(value);
    if (BigInt.asIntN(64, big) !== big) throw outOfRange('bigint');
    return big;
  }
  const limit = type === INT2 ? 32_768 : 2_147_483_648;
  const number = Number(value);
  if (number < -limit || number >= limit) throw outOfRange(type.sqlName);
  return number;
}

export { DAY };
