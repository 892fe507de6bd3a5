/**
 * Dates and times. Instants are microseconds since 1970 (a `number`: whole seconds stay exact for
 * 18,000 years), dates are days since 1970, and the time zone of every session is UTC.
 */

import { invalidText, SqlError, unsupported } from '../errors.js';

export const SECOND = 1_000_000;
export const DAY = 86_400 * SECOND;

export class Interval {
  constructor(
    readonly months: number,
    readonly days: number,
    readonly micros: number,
  ) {}

  add(other: Interval, sign = 1): Interval {
    return new Interval(
      this.months + sign * other.months,
      this.days + sign * other.days,
      this.micros + sign * other.micros,
    );
  }

  /** Fractions of months become days, fractions of days become time, as in interval_mul. */
  times(factor: number): Interval {
    const months = this.months * factor;
    const wholeMonths = Math.trunc(months);
    const days = this.days * factor + round6((months - wholeMonths) * 30);
    const wholeDays = Math.trunc(days);
    const micros = Math.round(this.micros * factor + round6(days - wholeDays) * DAY);
    return new Interval(wholeMonths, wholeDays, micros);
  }

  /** For comparison a month has 30 days and a day 24 hours. */
  span(): number {
    return (this.months * 30 + this.days) * DAY + this.micros;
  }
}

const round6 = (value: number) => Math.round(value * 1e6) / 1e6;
const pad = (value: number, width = 2) => String(value).padStart(width, '0');

export interface Civil {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: number;
}

export function daysOf(year: number, month: number, day: number): number {
  // Date.UTC takes years below 100 for those of the 20th century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.round(date.getTime() / 86_400_000);
}

export function civilOf(micros: number): Civil {
  const days = Math.floor(micros / DAY);
  const rest = micros - days * DAY;
  const date = new Date(days * 86_400_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: Math.floor(rest / (3600 * SECOND)),
    minute: Math.floor(rest / (60 * SECOND)) % 60,
    second: Math.floor(rest / SECOND) % 60,
    micros: rest % SECOND,
  };
}

export function microsOf(c: Civil): number {
  const seconds = (c.hour * 60 + c.minute) * 60 + c.second;
  return daysOf(c.year, c.month, c.day) * DAY + seconds * SECOND + c.micros;
}

function monthLength(year: number, month: number): number {
  return daysOf(month === 12 ? year + 1 : year, (month % 12) + 1, 1) - daysOf(year, month, 1);
}

/** An instant and an interval: months first, and the last day of a short month. */
export function addInterval(micros: number, interval: Interval, sign = 1): number {
  if (!Number.isFinite(micros)) return micros;
  let result = micros;
  if (interval.months !== 0) {
    const civil = civilOf(micros);
    const months = civil.year * 12 + civil.month - 1 + sign * interval.months;
    const year = Math.floor(months / 12);
    const month = (((months % 12) + 12) % 12) + 1;
    const day = Math.min(civil.day, monthLength(year, month));
    result = microsOf({ ...civil, year, month, day });
  }
  return result + sign * (interval.days * DAY + interval.micros);
}

const ISO =
  /^(-?\d{1,6})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?\s*(.*)$/i;

/** @returns the instant; `zoned` says whether what follows the time counts */
export function parseTimestamp(text: string, type: string, zoned: boolean): number {
  const trimmed = text.trim();
  if (/^infinity$/i.test(trimmed)) return Infinity;
  if (/^-infinity$/i.test(trimmed)) return -Infinity;
  if (/^epoch$/i.test(trimmed)) return 0;
  const match = ISO.exec(trimmed.replace(/^\w{3} /, ''));
  if (match === null) {
    if (/^(now|today|tomorrow|yesterday)$/i.test(trimmed)) throw unsupported(`'${trimmed}'`);
    const parsed = /^\w{3} \w{3} \d{2} \d{4}/.test(trimmed) ? Date.parse(trimmed) : NaN;
    if (!Number.isNaN(parsed)) return parsed * 1000;
    throw invalidText(type, text);
  }
  const [year, month, day] = [match[1], match[2], match[3]].map(Number) as [number, number, number];
  const [hour, minute, second] = [match[4], match[5], match[6]].map((part) =>
    Number(part ?? 0),
  ) as [number, number, number];
  const outside = () => new SqlError('22008', `date/time field value out of range: "${text}"`);
  if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) throw outside();
  if (hour > 24 || minute > 59 || second > 60) throw outside();
  const micros = Math.round(Number(match[7] ?? 0) * SECOND);
  const offset = parseOffset(match[8]!, text, type);
  const instant = microsOf({ year, month, day, hour, minute, second, micros });
  return zoned ? instant - offset * SECOND : instant;
}

function parseOffset(zone: string, text: string, type: string): number {
  if (zone === '' || /^(z|utc|gmt|zulu)$/i.test(zone)) return 0;
  const match = /^([+-])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?$/.exec(zone);
  if (match === null) {
    if (/^[a-z_]+(\/[a-z_]+)+$/i.test(zone)) throw unsupported(`time zone ${zone}`);
    throw invalidText(type, text);
  }
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  return match[1] === '-' ? -seconds : seconds;
}

export function parseDate(text: string): number {
  const micros = parseTimestamp(text, 'date', false);
  return Number.isFinite(micros) ? Math.floor(micros / DAY) : micros;
}

export function parseTime(text: string): number {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?$/.exec(text.trim());
  if (match === null) throw invalidText('time', text);
  const seconds = (Number(match[1]) * 60 + Number(match[2])) * 60 + Number(match[3] ?? 0);
  return seconds * SECOND + Math.round(Number(match[4] ?? 0) * SECOND);
}

export function formatDate(days: number): string {
  if (!Number.isFinite(days)) return days > 0 ? 'infinity' : '-infinity';
  const { year, month, day } = civilOf(days * DAY);
  return year > 0
    ? `${pad(year, 4)}-${pad(month)}-${pad(day)}`
    : `${pad(1 - year, 4)}-${pad(month)}-${pad(day)} BC`;
}

function fraction(micros: number): string {
  return micros === 0 ? '' : `.${pad(micros, 6).replace(/0+$/, '')}`;
}

export function formatTime(micros: number): string {
  const seconds = Math.floor(micros / SECOND);
  const [hour, minute] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${pad(hour)}:${pad(minute)}:${pad(seconds % 60)}${fraction(micros % SECOND)}`;
}

export function formatTimestamp(micros: number, separator = ' '): string {
  if (!Number.isFinite(micros)) return micros > 0 ? 'infinity' : '-infinity';
  const days = Math.floor(micros / DAY);
  return `${formatDate(days)}${separator}${formatTime(micros - days * DAY)}`;
}

const UNITS: Record<string, [months: number, days: number, micros: number]> = {
  microsecond: [0, 0, 1],
  millisecond: [0, 0, 1000],
  second: [0, 0, SECOND],
  minute: [0, 0, 60 * SECOND],
  hour: [0, 0, 3600 * SECOND],
  day: [0, 1, 0],
  week: [0, 7, 0],
  month: [1, 0, 0],
  year: [12, 0, 0],
  decade: [120, 0, 0],
  century: [1200, 0, 0],
};

const SHORT: Record<string, string> = {
  us: 'microsecond',
  usec: 'microsecond',
  ms: 'millisecond',
  msec: 'millisecond',
  s: 'second',
  sec: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
  hr: 'hour',
  d: 'day',
  w: 'week',
  mon: 'month',
  y: 'year',
  yr: 'year',
  centurie: 'century',
};

/** The singular name of a unit of time, or undefined. */
export function unitNamed(word: string): string | undefined {
  const lower = word.toLowerCase();
  for (const name of [lower, lower.replace(/s$/, '')]) {
    if (name in UNITS) return name;
    if (name in SHORT) return SHORT[name];
  }
  return undefined;
}

export function parseInterval(text: string): Interval {
  const iso =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/i;
  const duration = iso.exec(text.trim());
  if (duration !== null) {
    const [y, mo, w, d, h, mi, s] = duration.slice(1).map((part) => Number(part ?? 0)) as number[];
    const micros = Math.round(((h! * 60 + mi!) * 60 + s!) * SECOND);
    return new Interval(y! * 12 + mo!, w! * 7 + d!, micros);
  }
  let result = new Interval(0, 0, 0);
  const ago = /\bago\s*$/i.test(text);
  const rest = text
    .replace(/\bago\s*$/i, '')
    .replace(/@/g, '')
    .trim();
  const part = /\s*([+-]?)(?:(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?|(\d*\.?\d+)\s*([a-z]+)?)\s*/giy;
  let end = 0;
  for (let match = part.exec(rest); match !== null; match = part.exec(rest)) {
    const sign = match[1] === '-' ? -1 : 1;
    if (match[2] !== undefined) {
      const seconds = (Number(match[2]) * 60 + Number(match[3])) * 60 + Number(match[4] ?? 0);
      result = result.add(new Interval(0, 0, Math.round(seconds * SECOND)), sign);
    } else {
      const unit = match[6] === undefined ? 'second' : unitNamed(match[6]);
      if (unit === undefined) throw invalidText('interval', text);
      result = result.add(new Interval(...UNITS[unit]!).times(Number(match[5])), sign);
    }
    end = part.lastIndex;
  }
  if (end !== rest.length || rest === '') throw invalidText('interval', text);
  return ago ? result.times(-1) : result;
}

export function formatInterval({ months, days, micros }: Interval): string {
  const years = Math.trunc(months / 12);
  const rest = months % 12;
  const parts: string[] = [];
  let negative = false;
  const push = (value: number, unit: string) => {
    if (value === 0) return;
    const sign = negative && value > 0 ? '+' : '';
    parts.push(`${sign}${value} ${unit}${value === 1 ? '' : 's'}`);
    negative = value < 0;
  };
  push(years, 'year');
  push(rest, 'mon');
  push(days, 'day');
  if (micros !== 0 || parts.length === 0) {
    const sign = micros < 0 ? '-' : negative ? '+' : '';
    parts.push(sign + formatTime(Math.abs(micros)));
  }
  return parts.join(' ');
}
