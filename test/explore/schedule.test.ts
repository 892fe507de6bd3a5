/** The text form of a schedule. */

import { expect } from 'chai';
import fc from 'fast-check';
import { FAULTS } from '../../runtime/explore/fault-words.js';
import { Kind } from '../../runtime/kernel/choice.js';
import {
  formatSchedule,
  parseSchedule,
  type NamedDeviation,
} from '../../runtime/explore/schedule.js';

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((s) => !/[/#]/.test(s));
const path = fc
  .array(
    fc.tuple(name, fc.integer({ min: 1, max: 99 })).map(([n, i]) => `${n}.${i}`),
    { maxLength: 3 },
  )
  .map((names) => names.join('/'));
const place = fc.record({
  scope: fc.oneof(fc.constant(''), name),
  site: fc
    .tuple(name, fc.integer({ min: 1 }), fc.integer({ min: 1 }))
    .map(([file, line, column]) => `src/${file}.ts:${line}:${column}`),
  task: path,
  occurrence: fc.integer({ min: 1, max: 1000 }),
});
const delay = fc.record({
  kind: fc.constantFrom(Kind.Await, Kind.Timer, Kind.Stall, Kind.Create),
  value: fc.integer({ min: 1, max: 1e12 }).map((ns) => ns * 1000),
});
const draw = fc.record({
  kind: fc.constant(Kind.Random),
  value: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map(Math.abs),
});
const ofSource = fc
  .constantFrom('disk/localhost', 'tcp/10.0.0.2:5432', 'a (b)', 'a#1/x')
  .map((site) => ({ site }));
const strike = fc.record({
  kind: fc.constantFrom(...[...FAULTS].filter(([, f]) => f.value === 'none').map(([k]) => k)),
  value: fc.constant(1),
});
const latency = fc.record({
  kind: fc.constant(Kind.Latency),
  value: fc.integer({ min: 1, max: 1e12 }).map((ns) => ns * 1000),
});
const stream = fc.record({
  kind: fc.constantFrom(Kind.Random, Kind.Place),
  value: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map(Math.abs),
});
const deviation = fc.oneof(
  fc.tuple(place, fc.oneof(delay, draw)).map(([p, v]) => ({ ...p, ...v }) as NamedDeviation),
  fc
    .tuple(place, ofSource, fc.oneof(strike, latency, stream))
    .map(([p, s, v]) => ({ ...p, ...s, ...v }) as NamedDeviation),
);

describe('schedule text', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 1, 2, 3), fc.array(deviation), (rung, deviations) => {
        const schedule = { rung: rung as 0 | 1 | 2 | 3, deviations };
        const text = formatSchedule(schedule);
        expect(parseSchedule(text)).to.deep.equal(schedule);
        expect(text).to.not.match(/["$`\\!\n]/);
      }),
    );
  });

  it('is short, and looks as documented', () => {
    const site = 'src/token.ts:31:9';
    const text = 'stubs;src/token.ts:31:9/refresh.2#1+40ms;?/#2=0.84;bytes=7';
    expect(formatSchedule(parseSchedule(text))).to.equal(text);
    expect(parseSchedule(text).deviations[0]).to.deep.equal({
      kind: Kind.Await,
      scope: '',
      site,
      task: 'refresh.2',
      occurrence: 1,
      value: 40e6,
    });
  });

  it('has a word for every kind of fault', () => {
    const text =
      'node;reset(tcp/10.0.0.2:5432)#3;torn(disk/db)/host db.1#1;latency(tcp/10.0.0.2:80)#2+5ms;' +
      'place(disk/db)#1=0.25;random(random/retry)#2=0.84;buggify(a%28b%29)#1';
    expect(formatSchedule(parseSchedule(text))).to.equal(text);
    const ordinary: Kind[] = [
      Kind.Await,
      Kind.Timer,
      Kind.Stall,
      Kind.Create,
      Kind.Random,
      Kind.Bytes,
    ];
    const steps: Kind[] = [Kind.Operation, Kind.Select, Kind.Io];
    for (const kind of Object.values(Kind)) {
      expect(FAULTS.has(kind), String(kind)).to.equal(![...ordinary, ...steps].includes(kind));
    }
  });

  it('says which part it cannot read', () => {
    for (const part of ['reset(x)#1+3ms', 'latency(x)#1', 'place(x)#1=2', 'resets(x)#1']) {
      expect(() => parseSchedule(`node;${part}`)).to.throw(/cannot be read/);
    }
    expect(() => parseSchedule('fast;a.ts:1:1/#1+3ms')).to.throw(/begins with "fast"/);
    expect(() => parseSchedule('stubs;a.ts:1/#1+3ms')).to.throw(
      /cannot be read: "a.ts:1\/#1\+3ms"/,
    );
    expect(() => parseSchedule('stubs;a.ts:1:1/#1+3')).to.throw(/cannot be read/);
    expect(() => parseSchedule('stubs;a.ts:1:1/#1=1.5')).to.throw(/cannot be read/);
  });
});
