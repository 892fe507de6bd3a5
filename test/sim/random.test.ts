/** Named streams of random numbers. */

import { expect } from 'chai';
import { Sim } from '../../index.js';

const DRAWS = 20_000;

/** A rate measured over DRAWS draws lies within five standard deviations. */
function expectRate(measured: number, rate: number): void {
  expect(measured / DRAWS).to.be.closeTo(rate, 5 * Math.sqrt((rate * (1 - rate)) / DRAWS) + 1e-9);
}

describe('Sim: random', () => {
  it('a stream depends on seed and name, and on nothing else', () => {
    const draw = (seed: number, name: string, before: (sim: Sim) => void = () => {}): number[] => {
      const sim = new Sim({ seed });
      before(sim);
      return Array.from({ length: 5 }, () => sim.random(name).float());
    };
    expect(draw(7, 'a')).to.deep.equal(draw(7, 'a'));
    expect(draw(7, 'a')).to.not.deep.equal(draw(8, 'a'));
    expect(draw(7, 'a')).to.not.deep.equal(draw(7, 'b'));
    const others = (sim: Sim): void => {
      sim.random('b').bytes(100);
      sim.after(1, () => sim.random('c').float());
      sim.run();
    };
    expect(draw(7, 'a', others)).to.deep.equal(draw(7, 'a'));
  });

  it('asked for again by its name, a stream goes on', () => {
    const sim = new Sim();
    expect(sim.random('a')).to.equal(sim.random('a'));
    expect(sim.random('a').float()).to.not.equal(sim.random('a').float());
  });

  it('neighbouring seeds and names have nothing in common', () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 100; seed++) {
      for (const name of ['n1', 'n2', 'n3']) {
        for (let i = 0; i < 20; i++) seen.add(new Sim({ seed }).random(name).integer(0, 2 ** 40));
      }
    }
    // Twenty times the first number of each of 300 streams.
    expect(seen.size).to.equal(300);
  });

  it('draws are uniform', () => {
    const random = new Sim({ seed: 5 }).random('x');
    const tens = new Array<number>(10).fill(0);
    const integers = new Map<number, number>();
    let heads = 0;
    for (let i = 0; i < DRAWS; i++) {
      tens[Math.floor(random.float() * 10)]++;
      const integer = random.integer(-2, 2);
      integers.set(integer, (integers.get(integer) ?? 0) + 1);
      if (random.chance(0.3)) heads++;
    }
    for (const count of tens) expectRate(count, 0.1);
    expect([...integers.keys()].sort((a, b) => a - b)).to.deep.equal([-2, -1, 0, 1, 2]);
    for (const count of integers.values()) expectRate(count, 0.2);
    expectRate(heads, 0.3);
  });

  it('picks and shuffles each way equally often, and leaves the list as it is', () => {
    const random = new Sim({ seed: 6 }).random('x');
    const list = Object.freeze(['a', 'b', 'c']);
    const orders = new Map<string, number>();
    const picks = new Map<string, number>();
    for (let i = 0; i < DRAWS; i++) {
      const order = random.shuffle(list).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
      const pick = random.pick(list);
      picks.set(pick, (picks.get(pick) ?? 0) + 1);
    }
    expect(orders.size).to.equal(6);
    for (const count of orders.values()) expectRate(count, 1 / 6);
    for (const count of picks.values()) expectRate(count, 1 / 3);
  });

  it('bytes have every value', () => {
    const bytes = new Sim().random('x').bytes(DRAWS);
    expect(bytes).to.be.instanceOf(Uint8Array).and.have.length(DRAWS);
    expect(new Set(bytes).size).to.equal(256);
  });

  it('says what is wrong with its arguments', () => {
    const sim = new Sim();
    const random = sim.random('x');
    expect(() => random.integer(2, 1)).to.throw(RangeError, 'they are 2 and 1');
    expect(() => random.integer(0, 1.5)).to.throw(RangeError);
    expect(() => random.chance(1.1)).to.throw(RangeError, 'a rate from 0 to 1, but it is 1.1');
    expect(() => random.pick([])).to.throw(RangeError, 'the list is empty');
    expect(() => random.bytes(-1)).to.throw(RangeError, 'the length');
    expect(() => sim.random('')).to.throw(TypeError, 'the name of the stream');
  });
});
