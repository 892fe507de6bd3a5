/**
 * Commands on places: members of a sorted set whose scores are geohashes of 52 bits.
 *
 * Source of the encoding: interleaved bits of latitude and longitude, as in Redis's geohash.c.
 */

import { double, integer } from '../numbers.js';
import { fail, NULL_ARRAY, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { SortedSet } from '../values/sorted-set.js';
import { type CommandTable, read, write } from './command.js';
import { Options } from './options.js';

interface Place {
  readonly longitude: number;
  readonly latitude: number;
}

const STEPS = 26;
const LATITUDE_MAX = 85.05112878;
const EARTH_RADIUS = 6372797.560856;
const UNITS: Readonly<Record<string, number>> = { m: 1, km: 1000, ft: 0.3048, mi: 1609.34 };

/** The cell of a value in a range, as one of 2^26. */
const cell = (value: number, max: number): number =>
  Math.floor(((value + max) / (2 * max)) * 2 ** STEPS);

function encode({ longitude, latitude }: Place): number {
  const [x, y] = [cell(longitude, 180), cell(latitude, LATITUDE_MAX)];
  let hash = 0;
  for (let i = STEPS - 1; i >= 0; i--) {
    hash = hash * 4 + ((x >>> i) & 1) * 2 + ((y >>> i) & 1);
  }
  return hash;
}

function decode(hash: number): Place {
  let [x, y] = [0, 0];
  let rest = hash;
  for (let i = 0; i < STEPS; i++) {
    const pair = rest % 4;
    x += (pair >> 1) * 2 ** i;
    y += (pair & 1) * 2 ** i;
    rest = Math.floor(rest / 4);
  }
  const middle = (at: number, max: number) => ((at + 0.5) / 2 ** STEPS) * 2 * max - max;
  return { longitude: middle(x, 180), latitude: middle(y, LATITUDE_MAX) };
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Metres between two places, by the haversine formula. */
function distance(a: Place, b: Place): number {
  const u = Math.sin(radians(b.latitude - a.latitude) / 2);
  const v = Math.sin(radians(b.longitude - a.longitude) / 2);
  const cosines = Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude));
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(u * u + cosines * v * v));
}

function place(longitudeText: string, latitudeText: string): Place {
  const [longitude, latitude] = [double(longitudeText), double(latitudeText)];
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > LATITUDE_MAX) {
    return fail(
      `ERR invalid longitude,latitude pair ${longitude.toFixed(6)},${latitude.toFixed(6)}`,
    );
  }
  return { longitude, latitude };
}

const unitOf = (text: string): number =>
  UNITS[text.toLowerCase()] ?? fail('ERR unsupported unit provided. please use M, KM, FT, MI');

function add({ database }: Session, words: string[]): Reply {
  const options = new Options(words, 2);
  const given = new Set<string>();
  for (;;) {
    const name = ['nx', 'xx', 'ch'].find((one) => options.is(one));
    if (name === undefined) break;
    given.add(name);
  }
  const rest = options.rest();
  if (rest.length === 0 || rest.length % 3 !== 0) return syntaxError();
  if (given.has('nx') && given.has('xx')) {
    return fail('ERR XX and NX options at the same time are not compatible');
  }
  const key = words[1];
  const found = database.sorted(key);
  const set = found ?? new SortedSet();
  let [added, changed] = [0, 0];
  const items = Array.from({ length: rest.length / 3 }, (_, i) => ({
    member: rest[3 * i + 2],
    score: encode(place(rest[3 * i], rest[3 * i + 1])),
  }));
  for (const { member, score } of items) {
    const old = set.scores.get(member);
    if (old === undefined ? given.has('xx') : given.has('nx') || old === score) continue;
    set.set(member, score);
    if (old === undefined) added++;
    else changed++;
  }
  if (found === undefined && set.size > 0) database.set(key, set);
  if (added + changed > 0) database.changed(key, 'zadd', 'z');
  return given.has('ch') ? added + changed : added;
}

interface Found {
  readonly member: string;
  readonly place: Place;
  readonly distance: number;
  readonly score: number;
}

/** GEOSEARCH and GEOSEARCHSTORE, from the key to be searched on. */
function search({ database }: Session, words: string[], at: number, target?: string): Reply {
  const set = database.sorted(words[at]);
  const options = new Options(words, at + 1);
  let center: Place | undefined;
  let within: ((from: Place, to: Place) => boolean) | undefined;
  let unit = 1;
  let order: 'asc' | 'desc' | undefined;
  let count = Infinity;
  let any = false;
  const shown = new Set<string>();
  let storeDistance = false;
  while (options.left > 0) {
    const name = options.name();
    if (name === 'frommember') {
      const score = set?.scores.get(options.value());
      if (score === undefined) {
        return set === undefined ? [] : fail('ERR could not decode requested zset member');
      }
      center = decode(score);
    } else if (name === 'fromlonlat') center = place(options.value(), options.value());
    else if (name === 'byradius') {
      const radius = double(options.value(), 'ERR need numeric radius');
      if (radius < 0) return fail('ERR radius cannot be negative');
      unit = unitOf(options.value());
      const metres = radius * unit;
      within = (from, to) => distance(from, to) <= metres;
    } else if (name === 'bybox') {
      const width = double(options.value(), 'ERR need numeric width');
      const height = double(options.value(), 'ERR need numeric height');
      if (width < 0 || height < 0) return fail('ERR height or width cannot be negative');
      unit = unitOf(options.value());
      const [x, y] = [(width * unit) / 2, (height * unit) / 2];
      within = (from, to) =>
        distance(from, { ...from, latitude: to.latitude }) <= y &&
        distance({ ...to, longitude: from.longitude }, to) <= x;
    } else if (name === 'asc' || name === 'desc') order = name;
    else if (name === 'count') {
      count = integer(options.value());
      if (count <= 0) return fail('ERR COUNT must be > 0');
      any = options.is('any');
    } else if (target === undefined && /^with(?:coord|dist|hash)$/.test(name)) shown.add(name);
    else if (target !== undefined && name === 'storedist') storeDistance = true;
    else return syntaxError();
  }
  const command = words[0].toLowerCase();
  if (center === undefined) {
    return fail(`ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ${command}`);
  }
  if (within === undefined) {
    return fail(`ERR exactly one of BYRADIUS and BYBOX can be specified for ${command}`);
  }
  const from = center;
  const inside = within;
  const found: Found[] = (set?.order ?? [])
    .map(({ member, score }) => ({ member, score, place: decode(score) }))
    .filter((one) => inside(from, one.place))
    .map((one) => ({ ...one, distance: distance(from, one.place) / unit }));
  if (order !== undefined || (count !== Infinity && !any)) {
    const sign = order === 'desc' ? -1 : 1;
    found.sort((a, b) => sign * (a.distance - b.distance));
  }
  const chosen = found.slice(0, count);
  if (target === undefined) return chosen.map((one) => describe(one, shown));
  if (chosen.length === 0) {
    database.delete(target);
    return 0;
  }
  const scored = chosen.map((one) => ({
    member: one.member,
    score: storeDistance ? one.distance : one.score,
  }));
  database.set(target, SortedSet.of(scored));
  database.changed(target, 'geosearchstore', 'z');
  return chosen.length;
}

const coordinates = ({ longitude, latitude }: Place): Reply => [
  String(longitude),
  String(latitude),
];

function describe(found: Found, shown: ReadonlySet<string>): Reply {
  if (shown.size === 0) return found.member;
  const parts: Reply[] = [found.member];
  if (shown.has('withdist')) parts.push(found.distance.toFixed(4));
  if (shown.has('withhash')) parts.push(found.score);
  if (shown.has('withcoord')) parts.push(coordinates(found.place));
  return parts;
}

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The geohash of eleven letters that other programs know: latitudes go to 90 degrees there. */
function geohash({ longitude, latitude }: Place): string {
  const [x, y] = [cell(longitude, 180), cell(latitude, 90)];
  let bits = 0n;
  for (let i = STEPS - 1; i >= 0; i--) {
    bits = (bits << 2n) | BigInt(((x >>> i) & 1) * 2 + ((y >>> i) & 1));
  }
  let text = '';
  for (let i = 0; i < 10; i++) text += ALPHABET[Number((bits >> BigInt(52 - 5 * (i + 1))) & 31n)];
  return `${text}0`;
}

export const geo: CommandTable = {
  geoadd: write(-5, add),
  geopos: read(-2, ({ database }, [, key, ...members]) => {
    const set = database.sorted(key);
    return members.map((member) => {
      const score = set?.scores.get(member);
      return score === undefined ? NULL_ARRAY : coordinates(decode(score));
    });
  }),
  geodist: read(-4, ({ database }, words) => {
    const [, key, a, b] = words;
    if (words.length > 5) return syntaxError();
    const unit = unitOf(words[4] ?? 'm');
    const [from, to] = [a, b].map((member) => database.sorted(key)?.scores.get(member));
    if (from === undefined || to === undefined) return null;
    return (distance(decode(from), decode(to)) / unit).toFixed(4);
  }),
  geohash: read(-2, ({ database }, [, key, ...members]) => {
    const set = database.sorted(key);
    return members.map((member) => {
      const score = set?.scores.get(member);
      return score === undefined ? null : geohash(decode(score));
    });
  }),
  geosearch: read(-7, (session, words) => search(session, words, 1)),
  geosearchstore: write(-8, (session, words) => search(session, words, 2, words[1]), [1, 2, 1]),
};
