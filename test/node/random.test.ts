/**
 * Random values and bytes: the same in every run, keyed by their site, real outside.
 */

import crypto from 'node:crypto';
import { expect } from 'chai';
import { noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NODE } from '../../runtime/kernel/rung.js';
import { at } from '../../runtime/tasks/hooks.js';
import { registerFile } from '../../runtime/tasks/sites.js';
import { simulate, type SimulateOptions } from './simulate.js';

const base = registerFile(
  'random.ts',
  [
    ['call', 1, 1, '', 'Math.random()'],
    ['call', 2, 1, '', 'Math.random()'],
  ],
  false,
);

const withSeed = (seed: number): SimulateOptions => ({
  rung: NODE,
  strategy: { ...noDeviation, bytesSeed: seed } satisfies Strategy,
});

function draws(options?: SimulateOptions): unknown[] {
  return simulate((log) => {
    log(Math.random(), Math.random(), crypto.randomInt(1e9), crypto.randomUUID());
    log(crypto.randomBytes(7).toString('hex'), globalThis.crypto.randomUUID());
    log([...globalThis.crypto.getRandomValues(new Uint16Array(3))]);
    const buffer = Buffer.alloc(8);
    log(crypto.randomFillSync(buffer, 1, 5).toString('hex'));
    crypto.randomFill(Buffer.alloc(6), 2, (_error, filled) => log(filled.toString('hex')));
    crypto.randomInt(5, 1e6, (_error, value) => log(value));
  }, options).log;
}

describe('virtual randomness', () => {
  it('is the same in every run, and differs from draw to draw', () => {
    const first = draws();
    expect(first).to.have.length(10);
    expect(draws()).to.deep.equal(first);
    expect(new Set(first.map(String)).size).to.equal(first.length);
    expect(first[7]).to.match(/^00[0-9a-f]{10}0000$/);
    for (const value of first.slice(0, 2)) expect(value).to.be.within(0, 1);
  });

  it('UUIDs of version 7 begin with the virtual time, where Node makes them', function () {
    const { randomUUIDv7 } = crypto as { randomUUIDv7?: () => string };
    if (randomUUIDv7 === undefined) return this.skip();
    const v7 = (): string => (crypto as unknown as { randomUUIDv7(): string }).randomUUIDv7();
    const run = (): unknown[] => simulate((log) => log(v7(), v7(), Date.now())).log;
    const [first, second, now] = run() as [string, string, number];
    expect(first).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(first.replace('-', '').slice(0, 12), 16)).to.equal(now);
    expect(second).to.not.equal(first);
    expect(run()).to.deep.equal([first, second, now]);
  });

  it('bytes follow the seed of the strategy, values its draws', () => {
    const [one, two] = [draws(withSeed(1)), draws(withSeed(2))];
    expect(one.slice(0, 3)).to.deep.equal(two.slice(0, 3));
    expect(one[3]).to.not.equal(two[3]);
    expect(one[4]).to.not.equal(two[4]);
    const strategy: Strategy = { ...noDeviation, value: () => 0.75 };
    const { log } = simulate((write) => write(Math.random(), crypto.randomInt(100)), {
      rung: NODE,
      strategy,
    });
    expect(log).to.deep.equal([0.75, 75]);
  });

  it('is keyed by the site of the call', () => {
    const drawAt = (...sites: number[]): unknown[] =>
      simulate((log) => sites.forEach((site) => log(at(base + site, Math).random()))).log;
    const [first, second] = drawAt(0, 1);
    expect(first).to.not.equal(second);
    expect(drawAt(1, 0)).to.deep.equal([second, first]);
    expect(drawAt(1)).to.deep.equal([second]);
  });

  it('callbacks come as events of their own', () => {
    const { log } = simulate((write) => {
      crypto.randomBytes(4, () => write('bytes'));
      setImmediate(() => write('immediate'));
      process.nextTick(() => write('tick'));
    });
    expect(log).to.deep.equal(['tick', 'immediate', 'bytes']);
  });

  it('is real outside', () => {
    const outside = [1, 2].map(() => `${Math.random()} ${crypto.randomUUID()}`);
    expect(outside[0]).to.not.equal(outside[1]);
  });
});
