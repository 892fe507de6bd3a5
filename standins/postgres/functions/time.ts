/** Functions on dates and times; the clock is Node's, which a simulation decides. */

import { performance } from 'node:perf_hooks';
import { SqlError, unsupported } from '../errors.js';
import { civilOf, daysOf, DAY, Interval, microsOf, SECOND, unitNamed } from '../types/datetime.js';
import { Numeric } from '../types/numeric.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { fn, runFn } from './overloads.js';

const { DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL, TEXT, NUMERIC, FLOAT8, INT4 } = t;

/** Microseconds since 1970, now. */
export function clock(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

runFn('now transaction_timestamp', [], TIMESTAMPTZ, (_, run) => run.transaction.started);
runFn('statement_timestamp', [], TIMESTAMPTZ, (_, run) => run.session.statementStarted);
runFn('clock_timestamp', [], TIMESTAMPTZ, () => clock());
runFn('timeofday', [], TEXT, () => {
  throw unsupported('timeofday()');
});

function truncate(unit: string, micros: number): number {
  const c = civilOf(micros);
  const day = { ...c, hour: 0, minute: 0, second: 0, micros: 0 };
  const month = { ...day, day: 1 };
  switch (unit) {
    case 'microsecond':
      return micros;
    case 'millisecond':
      return Math.floor(micros / 1000) * 1000;
    case 'second':
      return microsOf({ ...c, micros: 0 });
    case 'minute':
      return microsOf({ ...c, second: 0, micros: 0 });
    case 'hour':
      return microsOf({ ...c, minute: 0, second: 0, micros: 0 });
    case 'day':
      return microsOf(day);
    case 'week': {
      const days = Math.floor(micros / DAY);
      // 1970-01-01 was a Thursday.
      return (days - ((((days + 3) % 7) + 7) % 7)) * DAY;
    }
    case 'month':
      return microsOf(month);
    case 'quarter':
      return microsOf({ ...month, month: c.month - ((c.month - 1) % 3) });
    case 'year':
      return microsOf({ ...month, month: 1 });
    case 'decade':
      return microsOf({ ...month, month: 1, year: Math.floor(c.year / 10) * 10 });
  }
  throw unsupported(`date_trunc('${unit}')`);
}

const unitOf = (name: string, type: Type): string => {
  const lower = name.toLowerCase();
  const known = lower === 'quarter' ? lower : unitNamed(lower);
  if (known !== undefined) return known;
  if (/^(dow|isodow|doy|epoch|isoyear|julian)$/.test(lower)) return lower;
  throw new SqlError('22023', `unit "${name}" not recognized for type ${type.sqlName}`);
};
for (const type of [TIMESTAMP, TIMESTAMPTZ]) {
  fn('date_trunc', [TEXT, type], type, (name: string, value: number) =>
    Number.isFinite(value) ? truncate(unitOf(name, type), value) : value,
  );
}
fn('date_trunc', [TEXT, INTERVAL], INTERVAL, (name: string, value: Interval) => {
  const unit = unitOf(name, INTERVAL);
  const step = { second: SECOND, minute: 60 * SECOND, hour: 3600 * SECOND }[unit];
  if (step !== undefined)
    return new Interval(value.months, value.days, Math.trunc(value.micros / step) * step);
  if (unit === 'day') return new Interval(value.months, value.days, 0);
  if (unit === 'month') return new Interval(value.months, 0, 0);
  if (unit === 'year') return new Interval(value.months - (value.months % 12), 0, 0);
  throw unsupported(`date_trunc('${name}', interval)`);
});

const micro = (value: number, scale = 6) => new Numeric(BigInt(Math.round(value)), scale);

function part(name: string, value: number, type: Type): Numeric {
  const unit = unitOf(name, type);
  const c = civilOf(value);
  const days = Math.floor(value / DAY);
  const whole: Record<string, number> = {
    minute: c.minute,
    hour: c.hour,
    day: c.day,
    month: c.month,
    year: c.year > 0 ? c.year : c.year - 1,
    quarter: Math.floor((c.month - 1) / 3) + 1,
    decade: Math.floor(c.year / 10),
    century: Math.floor((c.year + 99) / 100),
    dow: (((days + 4) % 7) + 7) % 7,
    isodow: ((((days + 3) % 7) + 7) % 7) + 1,
    doy: days - daysOf(c.year, 1, 1) + 1,
    microsecond: c.second * SECOND + c.micros,
  };
  if (unit in whole) return Numeric.from(whole[unit]!);
  if (unit === 'second') return micro(c.second * SECOND + c.micros);
  if (unit === 'millisecond') return micro(c.second * SECOND + c.micros, 3);
  if (unit === 'epoch') return type === DATE ? Numeric.from(value / SECOND) : micro(value);
  if (unit === 'week') {
    const thursday = days - ((((days + 3) % 7) + 7) % 7) + 3;
    const { year } = civilOf(thursday * DAY);
    return Numeric.from(Math.floor((thursday - daysOf(year, 1, 1)) / 7) + 1);
  }
  throw unsupported(`extract(${name})`);
}

function intervalPart(name: string, value: Interval): Numeric {
  const unit = unitOf(name, INTERVAL);
  const { months, days, micros } = value;
  const whole: Record<string, number> = {
    year: Math.trunc(months / 12),
    month: months % 12,
    day: days,
    hour: Math.trunc(micros / (3600 * SECOND)),
    minute: Math.trunc(micros / (60 * SECOND)) % 60,
    microsecond: micros % (60 * SECOND),
  };
  if (unit in whole) return Numeric.from(whole[unit]!);
  if (unit === 'second') return micro(micros % (60 * SECOND));
  if (unit === 'millisecond') return micro(micros % (60 * SECOND), 3);
  // A year has 365.25 days here.
  const monthDays = Math.trunc(months / 12) * 365.25 + (months % 12) * 30;
  if (unit === 'epoch') return micro((monthDays + days) * DAY + micros);
  throw unsupported(`extract(${name} from interval)`);
}
for (const [name, result, make] of [
  ['extract', NUMERIC, (n: Numeric) => n],
  ['date_part', FLOAT8, (n: Numeric) => n.toNumber()],
] as const) {
  for (const type of [TIMESTAMP, TIMESTAMPTZ]) {
    fn(name, [TEXT, type], result, (unit, value) => make(part(unit, value, type)));
  }
  fn(name, [TEXT, DATE], result, (unit, value) => make(part(unit, value * DAY, DATE)));
  fn(name, [TEXT, TIME], result, (unit, value) => make(part(unit, value, TIME)));
  fn(name, [TEXT, INTERVAL], result, (unit, value) => make(intervalPart(unit, value)));
}

/** The difference field by field; days are borrowed from the month of the earlier instant. */
function age(a: number, b: number): Interval {
  if (a < b) return age(b, a).times(-1);
  const [from, to] = [civilOf(b), civilOf(a)];
  const timeOf = (value: number) => value - Math.floor(value / DAY) * DAY;
  let [months, days] = [(to.year - from.year) * 12 + to.month - from.month, to.day - from.day];
  let micros = timeOf(a) - timeOf(b);
  if (micros < 0) [micros, days] = [micros + DAY, days - 1];
  const next = from.month === 12 ? [from.year + 1, 1] : [from.year, from.month + 1];
  const length = daysOf(next[0]!, next[1]!, 1) - daysOf(from.year, from.month, 1);
  if (days < 0) [days, months] = [days + length, months - 1];
  return new Interval(months, days, micros);
}
for (const type of [TIMESTAMPTZ, TIMESTAMP]) {
  fn('age', [type, type], INTERVAL, age);
  runFn('age', [type], INTERVAL, ([value], run) =>
    age(Math.floor(run.transaction.started / DAY) * DAY, value),
  );
}
fn('to_timestamp', [FLOAT8], TIMESTAMPTZ, (seconds) => Math.round(seconds * SECOND));
fn('make_date', [INT4, INT4, INT4], DATE, (y, m, d) => daysOf(y, m, d));
fn(
  'make_timestamp',
  [INT4, INT4, INT4, INT4, INT4, FLOAT8],
  TIMESTAMP,
  (y, m, d, h, mi, s) =>
    daysOf(y, m, d) * DAY + (h * 60 + mi) * 60 * SECOND + Math.round(s * SECOND),
);
fn(
  'make_interval',
  [INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8],
  INTERVAL,
  (y = 0, mo = 0, w = 0, d = 0, h = 0, mi = 0, s = 0) =>
    new Interval(y * 12 + mo, w * 7 + d, (h * 60 + mi) * 60 * SECOND + Math.round(s * SECOND)),
);
fn('isfinite', [TIMESTAMPTZ], t.BOOL, Number.isFinite);
fn('timezone', [TEXT, TIMESTAMPTZ], TIMESTAMP, (zone, value) => value + offsetOf(zone));
fn('timezone', [TEXT, TIMESTAMP], TIMESTAMPTZ, (zone, value) => value - offsetOf(zone));
function offsetOf(zone: string): number {
  if (isUtc(zone)) return 0;
  throw unsupported(`time zone "${zone}" (only UTC is)`);
}
export const isUtc = (zone: string) =>
  /^(utc|gmt|z|zulu|etc\/utc|etc\/gmt|\+?-?00?(:00)?|default)$/i.test(zone);
for (const type of [TIMESTAMPTZ, TIMESTAMP]) {
  runFn('date', [type], DATE, ([value]) => Math.floor(value / DAY));
  fn('to_char', [type, TEXT], TEXT, formatTemplate);
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** to_char for instants: the patterns that people use; others are refused. */
function formatTemplate(value: number, template: string): string {
  const c = civilOf(value);
  const day = DAYS[(((Math.floor(value / DAY) + 4) % 7) + 7) % 7]!;
  const month = MONTHS[c.month - 1]!;
  const two = (n: number) => String(n).padStart(2, '0');
  const cased = (pattern: string, text: string) =>
    pattern === pattern.toUpperCase()
      ? text.toUpperCase()
      : pattern === pattern.toLowerCase()
        ? text.toLowerCase()
        : text;
  const parts: Record<string, (pattern: string) => string> = {
    YYYY: () => String(c.year).padStart(4, '0'),
    YY: () => two(c.year % 100),
    MONTH: (p) => cased(p, month.padEnd(9)),
    MON: (p) => cased(p, month.slice(0, 3)),
    MM: () => two(c.month),
    DAY: (p) => cased(p, day.padEnd(9)),
    DY: (p) => cased(p, day.slice(0, 3)),
    DDD: () => String(Math.floor(value / DAY) - daysOf(c.year, 1, 1) + 1).padStart(3, '0'),
    DD: () => two(c.day),
    HH24: () => two(c.hour),
    HH12: () => two(c.hour % 12 || 12),
    HH: () => two(c.hour % 12 || 12),
    MI: () => two(c.minute),
    SS: () => two(c.second),
    MS: () => String(Math.floor(c.micros / 1000)).padStart(3, '0'),
    US: () => String(c.micros).padStart(6, '0'),
    AM: (p) => cased(p, c.hour < 12 ? 'AM' : 'PM'),
    PM: (p) => cased(p, c.hour < 12 ? 'AM' : 'PM'),
    TZ: () => 'UTC',
    OF: () => '+00',
    Q: () => String(Math.floor((c.month - 1) / 3) + 1),
  };
  const token = /"([^"]*)"|FM(?=[A-Z])|[A-Z]+\d*/gi;
  return template.replace(token, (word, quoted: string | undefined) => {
    if (quoted !== undefined) return quoted;
    let [result, rest, trimmed] = ['', word, false];
    while (rest !== '') {
      if (/^FM/.test(rest)) [rest, trimmed] = [rest.slice(2), true];
      const name = Object.keys(parts).find((p) => rest.toUpperCase().startsWith(p));
      // A T between a date and a time is itself.
      if (name === undefined && /^T/.test(rest)) [result, rest] = [`${result}T`, rest.slice(1)];
      else if (name === undefined) throw unsupported(`the pattern "${rest}" of to_char`);
      else {
        const text = parts[name]!(rest.slice(0, name.length));
        result += trimmed ? text.trim().replace(/^0+(?=\d)/, '') : text;
        [rest, trimmed] = [rest.slice(name.length), false];
      }
    }
    return result;
  });
}
