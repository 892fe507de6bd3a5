/** Virtual time and events of a scenario, and what ends a run. */

import { expect } from 'chai';
import {
  InvariantError,
  LivenessError,
  microsecond,
  millisecond,
  second,
  Sim,
  SimulationPoint,
  StepBudgetError,
} from '../../index.js';

/** What `fn` throws. */
function thrownBy(fn: () => unknown): Error {
  try {
    fn();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('Sim: events', () => {
  it('run in the order of their times, and of their asking at one time', () => {
    const sim = new Sim();
    const log: string[] = [];
    const at = (name: string) => () => void log.push(`${name} ${sim.now}`);
    sim.after(20, at('b'));
    sim.after(10, at('a'));
    sim.at(20, at('c'));
    sim.immediately(() => {
      at('first')();
      sim.immediately(at('after what is due'));
      sim.after(0, at('last'));
    });
    sim.immediately(at('second'));

    expect(sim.run()).to.equal(7);

    expect(log).to.deep.equal([
      'first 0',
      'second 0',
      'after what is due 0',
      'last 0',
      'a 10',
      'b 20',
      'c 20',
    ]);
    expect([sim.now, sim.steps]).to.deep.equal([20, 7]);
  });

  it('units are nanoseconds', () => {
    expect([microsecond, millisecond, second]).to.deep.equal([1000, 1_000_000, 1_000_000_000]);
  });

  it('can be cancelled, once', () => {
    const sim = new Sim();
    const log: string[] = [];
    const timer = sim.after(10, () => log.push('cancelled'));
    const other = sim.after(5, () => log.push('ran'));
    expect(timer.due).to.equal(10);

    expect(sim.cancel(timer)).to.equal(true);
    expect(timer.cancel()).to.equal(false);
    sim.run();

    expect(log).to.deep.equal(['ran']);
    expect(sim.now).to.equal(5);
    expect(other.cancel()).to.equal(false);
    expect(() => new Sim().cancel(timer)).to.throw(TypeError, 'no timer of this simulation');
    expect(() => sim.cancel({ due: 1, cancel: () => true })).to.throw(TypeError);
  });

  it('a cancelled event is gone from the queue at once', () => {
    const sim = new Sim();
    for (let i = 0; i < 1000; i++) sim.after(second, () => {}).cancel();
    expect(sim.loop.pending).to.equal(false);
  });
});

describe('Sim: run, runUntil, runFor', () => {
  it('an event at 1,000 is one step', () => {
    const sim = new Sim();
    sim.after(1000, () => {});
    expect(sim.run()).to.equal(1);
    expect(sim.run()).to.equal(0);
    expect(sim.now).to.equal(1000);
  });

  it('runUntil runs what is due at its time, and leaves now at it', () => {
    const sim = new Sim();
    const log: number[] = [];
    for (const time of [10, 50, 100]) sim.at(time, () => log.push(sim.now));
    expect(sim.runUntil(50)).to.equal(2);
    expect([sim.now, log]).to.deep.equal([50, [10, 50]]);
    expect(sim.runUntil(99)).to.equal(0);
    expect(sim.now).to.equal(99);
    expect(sim.runUntil(99)).to.equal(0);
    expect(sim.runUntil(100)).to.equal(1);
  });

  // The original's harness had this bug: its clock stayed at the last event, so that a step shorter
  // than the distance to the next one never got there.
  it('steps shorter than the distance to the next event get there', () => {
    const sim = new Sim();
    let fired = 0;
    const period = (): void => {
      fired++;
      sim.after(50, period);
    };
    sim.after(50, period);
    for (let i = 0; i < 40; i++) sim.runUntil(sim.now + 5);
    expect([fired, sim.now]).to.deep.equal([4, 200]);
    for (let i = 0; i < 40; i++) sim.runFor(5);
    expect([fired, sim.now]).to.deep.equal([8, 400]);
  });

  it('runFor counts from now, whatever was called before', () => {
    const sim = new Sim();
    const log: number[] = [];
    sim.after(100, () => {});
    sim.run();
    sim.after(5, () => log.push(sim.now));
    expect(sim.runFor(5)).to.equal(1);
    expect(log).to.deep.equal([105]);
    sim.runUntil(200);
    sim.after(7, () => log.push(sim.now));
    sim.runFor(7);
    expect(log).to.deep.equal([105, 207]);
  });

  it('say clearly what is wrong with their arguments', () => {
    const sim = new Sim();
    sim.runUntil(100);
    const fn = (): void => {};
    for (const bad of [-1, 1.5, NaN, Infinity, -Infinity, 2 ** 53]) {
      for (const call of [
        () => sim.after(bad, fn),
        () => sim.at(bad, fn),
        () => sim.runUntil(bad),
        () => sim.runFor(bad),
        () => sim.eventually('x', () => true, bad),
      ]) {
        expect(call).to.throw(RangeError, /must be a whole number of nanoseconds, 0 or more, but/);
      }
    }
    expect(() => sim.after('10' as never, fn)).to.throw(
      TypeError,
      'sim.after: the delay must be a whole number of nanoseconds, 0 or more, but it is "10"',
    );
    expect(() => sim.after(1, undefined as never)).to.throw(
      TypeError,
      'sim.after: the callback must be a function, but it is undefined.',
    );
    expect(() => sim.at(1, 'fn' as never)).to.throw(TypeError, 'sim.at: the callback');
    expect(() => sim.at(100, 'fn' as never)).to.throw(TypeError, 'sim.at: the callback');
    expect(() => sim.immediately(null as never)).to.throw(TypeError, 'sim.immediately');
    expect(() => sim.at(99, fn)).to.throw(
      RangeError,
      'sim.at: the time 99 ns is past, it is 100 ns already.',
    );
    expect(() => sim.runUntil(99)).to.throw(RangeError, 'it is 100 ns already');
    expect(sim.loop.pending).to.equal(false);
  });

  it('options are checked too', () => {
    expect(() => new Sim({ seed: -1 })).to.throw(RangeError, 'the seed');
    expect(() => new Sim({ seed: 1.5 })).to.throw(RangeError, 'the seed');
    expect(() => new Sim({ seed: '7' as never })).to.throw(TypeError, 'the seed');
    expect(() => new Sim({ maxSteps: 0 })).to.throw(RangeError, 'maxSteps');
    expect(() => new Sim({ sed: 7 } as never)).to.throw(TypeError, 'no option "sed"');
    expect(new Sim().seed).to.equal(1);
    expect(new Sim({ seed: Number.MAX_SAFE_INTEGER }).seed).to.equal(Number.MAX_SAFE_INTEGER);
  });

  it('cannot be called from inside a run', () => {
    const sim = new Sim();
    const other = new Sim();
    const errors: Error[] = [];
    for (const call of [
      () => sim.run(),
      () => sim.runFor(1),
      () => sim.eventually('x', () => false, 1),
      () => other.run(),
    ]) {
      sim.after(1, () => errors.push(thrownBy(call)));
    }
    sim.run();
    expect(errors.map(({ message }) => message.replace(/\. .*/, ''))).to.deep.equal([
      'sim.run: this simulation is running already, and this call comes from inside it',
      'sim.runFor: this simulation is running already, and this call comes from inside it',
      'sim.eventually: this simulation is running already, and this call comes from inside it',
      'sim.run: another simulation is running, and this call comes from inside it',
    ]);
    expect(other.run()).to.equal(0);
  });
});

describe('Sim: what ends a run', () => {
  it('a callback that throws: its own error, with the place in the run as the cause', () => {
    const sim = new Sim({ seed: 42 });
    const log: string[] = [];
    const boom = new Error('boom');
    sim.after(1_500_000, () => {
      throw boom;
    });
    sim.after(1_500_000, () => log.push('the next one'));
    expect(thrownBy(() => sim.run())).to.equal(boom);
    expect(boom.message).to.equal('boom');
    expect(boom.cause).to.be.instanceOf(SimulationPoint);
    const { seed, step, at, message } = boom.cause as SimulationPoint;
    expect([seed, step, at]).to.deep.equal([42, 1, 1_500_000]);
    expect(message).to.equal('thrown in the simulation at seed 42, step 1, virtual time 1.5 ms');
    expect(log).to.deep.equal([]);

    expect(sim.run()).to.equal(1);
    expect(log).to.deep.equal(['the next one']);
  });

  it('anything can be thrown, and a cause that is there stays', () => {
    const sim = new Sim();
    sim.after(1, () => {
      throw 'text';
    });
    expect(thrownBy(() => sim.run())).to.equal('text');
    const cause = new Error('first');
    sim.after(1, () => {
      throw new Error('second', { cause });
    });
    expect(thrownBy(() => sim.run()).cause).to.equal(cause);
    const frozen = Object.freeze(new Error('frozen'));
    sim.after(1, () => {
      throw frozen;
    });
    expect(thrownBy(() => sim.run())).to.equal(frozen);
  });

  it('the step budget: exactly so many events may run, over all calls', () => {
    const exact = new Sim({ maxSteps: 10 });
    for (let i = 0; i < 10; i++) exact.after(i, () => {});
    expect(exact.run()).to.equal(10);

    for (const call of [
      (sim: Sim) => sim.run(),
      (sim: Sim) => sim.runUntil(1000),
      (sim: Sim) => sim.runFor(1000),
    ]) {
      const sim = new Sim({ seed: 3, maxSteps: 10 });
      for (let i = 0; i < 11; i++) sim.after(i, () => {});
      sim.runFor(4);
      const error = thrownBy(() => call(sim)) as StepBudgetError;
      expect(error).to.be.instanceOf(StepBudgetError);
      expect([error.seed, error.step, error.at]).to.deep.equal([3, 10, 10]);
      expect(error.message).to.include('the budget of 10 steps is spent at virtual time 10 ns');
      expect(error.message).to.include('seed 3');
      expect(sim.steps).to.equal(10);
      expect(thrownBy(() => sim.runFor(1))).to.equal(error);
    }
  });

  it('the step budget ends what goes round for ever, by default after 5,000,000 steps', function () {
    this.timeout(60_000);
    const sim = new Sim();
    const again = (): void => void sim.immediately(again);
    again();
    expect(() => sim.run()).to.throw(StepBudgetError, 'the budget of 5000000 steps');
    expect(sim.now).to.equal(0);
  });

  it('an invariant that does not hold, after the very event', () => {
    const sim = new Sim({ seed: 9 });
    let balance = 3;
    let checks = 0;
    sim.invariant('never overdrawn', () => {
      checks++;
      if (balance < 0) throw new Error(`the balance is ${balance}`);
    });
    for (let i = 1; i <= 6; i++) sim.after(i * second, () => balance--);
    const error = thrownBy(() => sim.run()) as InvariantError;
    expect(error).to.be.instanceOf(InvariantError);
    expect(error.message).to.equal(
      'invariant "never overdrawn" does not hold at seed 9, step 4, virtual time 4 s: ' +
        'the balance is -1',
    );
    expect([error.invariant, error.seed, error.step, error.at]).to.deep.equal([
      'never overdrawn',
      9,
      4,
      4 * second,
    ]);
    expect((error.cause as Error).message).to.equal('the balance is -1');
    expect(checks).to.be.least(4);
    expect(() => sim.invariant('', () => {})).to.throw(TypeError, 'the name');
    expect(() => sim.invariant('x', 1 as never)).to.throw(TypeError, 'the check');
  });

  it('eventually: at once when it holds, else at the event that brings it about', () => {
    const sim = new Sim();
    let value = 0;
    sim.after(10, () => (value = 1));
    sim.after(20, () => (value = 2));
    sim.eventually('already there', () => value === 0, 0);
    expect(sim.now).to.equal(0);
    sim.eventually('one', () => value === 1, second);
    expect([sim.now, value]).to.deep.equal([10, 1]);
    sim.eventually('two', () => value === 2, 10);
    expect([sim.now, value]).to.deep.equal([20, 2]);
  });

  it('eventually: an error when the time is over, and it says whether anything is pending', () => {
    const sim = new Sim({ seed: 5 });
    const beat = (): void => void sim.after(millisecond, beat);
    sim.after(millisecond, beat);
    const error = thrownBy(() => sim.eventually('a leader', () => false, 10 * millisecond));
    expect(error).to.be.instanceOf(LivenessError);
    expect(error.message).to.equal(
      '"a leader" did not come true within 10 ms (seed 5, step 10, virtual time 10 ms)',
    );
    expect(sim.now).to.equal(10 * millisecond);

    const idle = new Sim();
    const { message } = thrownBy(() => idle.eventually('x', () => false, second));
    expect(message).to.include('within 1 s, and nothing is pending that could still bring it');
    expect(idle.now).to.equal(second);
  });

  it('eventually: a condition that throws ends the run with its error', () => {
    const sim = new Sim();
    let events = 0;
    sim.after(1, () => events++);
    sim.after(2, () => events++);
    const condition = (): boolean => {
      if (events > 0) throw new Error('cannot tell');
      return false;
    };
    expect(() => sim.eventually('x', condition, 10)).to.throw('cannot tell');
    expect(events).to.equal(1);
  });
});
