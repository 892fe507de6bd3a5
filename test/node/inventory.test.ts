/**
 * Walks what this Node version offers, and finds sources of time and chance that nobody thought of.
 */

import { builtinModules } from 'node:module';
import { expect } from 'chai';
import { isFacade, patchedPlaces } from '../../runtime/node/facade.js';
import { install } from '../../runtime/node/install.js';

install();

/** A name that sounds like a source of time, timers, chance, or figures of the machine. */
const SOURCE = new RegExp(
  'time|clock|date|now$|^now|random|uuid|interval|immediate|tick|sleep|wait|delay|sched|uptime|' +
    'usage|memory|loadavg|mem$|cpu|pid$|heap|statistics|elapsed|origin|generate|utilization|weak|' +
    'finaliz|prng|rng|prime',
  'i',
);

/** Places that may stay as they are, and why. */
const HARMLESS: [RegExp, string][] = [
  [/\.Date\.prototype\./, 'works on the date it is given'],
  [
    /\.RegExp\.prototype\.sticky$|\.URL\.prototype\.origin$|\.MessageEvent\./,
    'only sounds like it',
  ],
  [/\.Intl\.(DateTimeFormat|RelativeTimeFormat|Locale\.)/, 'formats what it is given'],
  [
    /\.stopImmediatePropagation$|\.setNoDelay$|\.findOrigin$|validate|\.update$/,
    'only sounds like it',
  ],
  [/WeakMap$|WeakSet$|isDate$/, 'shows nothing of what is collected'],
  [/console\.(Console\.prototype\.)?time/i, 'only prints'],
  [/_tickCallback$/, 'is what drains'],
  [/process\.p?pid$/, 'patched as a property'],
  [/process\.finalization$/, 'acts when the process ends'],
  [/nodeTiming|timerify|monitorEventLoopDelay|secureHeapUsed/, 'for profiling only'],
  [/\.Performance(Resource|Entry)/, 'tells the time of marks, which are virtual'],
  [/\.Temporal\.(?!Now\.(instant|plain|zoned))/, 'works on what it is given'],
  [/^v8\.startCpuProfile$/, 'for profiling only'],
  [/^v8\.(get|write|set)?.*Heap|\.getCppHeapStatistics$/, 'for profiling only'],
  [/\.WebAssembly\.|^wasi\./, 'only sounds like it'],
  [/CryptoKey|X509Certificate|getPrime$|checkPrimeSync$/, 'tells a property of a key'],
  [/^crypto\.getRandomValues$/, 'goes through the patched method of Web Crypto'],
  [/^fs\.(_toUnixTimestamp|Stats\.|BigIntStats)/, 'times of files'],
  [/^fs\.(promises\.)?[fl]?utimes/, 'goes to the simulated disk through the binding'],
  [/^(node:)?(http|https|http2|net|tls)\./, 'acts on a connection, and none is made'],
  [/^inspector(\/promises)?\./, 'for a person who debugs'],
  [/^worker_threads\.Worker\./, 'acts on a worker, and none is made'],
];

interface Found {
  readonly place: string;
  readonly patched: boolean;
}

/** Walks an object a few levels deep, and finds what sounds like a source. */
function walk(root: object, name: string, depth: number, seen: Set<unknown>, found: Found[]): void {
  if (seen.has(root)) return;
  seen.add(root);
  for (const [key, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(root))) {
    if (key === 'constructor') continue;
    const place = `${name}.${key}`;
    const part: unknown = get === undefined || name.includes('.') ? value : Reflect.get(root, key);
    const source = get ?? (typeof value === 'function' ? (value as unknown) : undefined);
    if (source !== undefined && SOURCE.test(key)) {
      found.push({ place, patched: isFacade(source) || isFacade(part) });
    }
    const inner = typeof part === 'function' || (typeof part === 'object' && part !== null);
    if (inner && depth > 0) walk(part, place, depth - 1, seen, found);
  }
}

function sources(): Found[] {
  const found: Found[] = [];
  const seen = new Set<unknown>();
  walk(globalThis, 'globalThis', 3, seen, found);
  // These load something with side effects, or are only for tests.
  const left = /^_|^(sys|punycode|trace_events|wasi|sqlite)$|test/;
  for (const name of builtinModules.filter((module) => !left.test(module))) {
    walk(require(name) as object, name, 2, seen, found);
  }
  return found;
}

describe('inventory of sources', function () {
  this.timeout(20_000);

  it('every source of time, timers and chance is patched or known to be harmless', () => {
    const warn = process.listeners('warning');
    process.removeAllListeners('warning');
    const open = sources().filter(
      ({ place, patched }) => !patched && !HARMLESS.some(([pattern]) => pattern.test(place)),
    );
    setImmediate(() => warn.forEach((listener) => process.on('warning', listener)));
    expect(open.map(({ place }) => place)).to.deep.equal([]);
  });

  it('finds the sources it is meant to find', () => {
    const patched = new Set(sources().flatMap((found) => (found.patched ? [found.place] : [])));
    for (const place of [
      'globalThis.Date',
      'globalThis.Date.now',
      'globalThis.setTimeout',
      'globalThis.Math.random',
      'globalThis.Performance.prototype.now',
      'globalThis.process.hrtime',
      'crypto.randomBytes',
      'os.loadavg',
    ]) {
      expect(patched).to.include(place);
    }
  });

  it('keeps what is patched in place', () => {
    expect(patchedPlaces().size).to.be.greaterThan(120);
    for (const [place, facade] of patchedPlaces()) expect(isFacade(facade), place).to.equal(true);
  });

  it('functions that are the same stay the same', async () => {
    const timers = await import('node:timers');
    const { setTimeout: promised } = await import('node:timers/promises');
    expect(timers.setTimeout).to.equal(globalThis.setTimeout);
    expect(timers.promises.setTimeout).to.equal(promised);
    expect(isFacade(promised)).to.equal(true);
  });
});
