/** The event loop of a simulation, without promises: phases, time, harness timers, choices. */

import { expect } from 'chai';
import { Kind, noDeviation, type Scope, type Strategy } from '../../runtime/kernel/choice.js';
import { ANY, NODE, type Rung } from '../../runtime/kernel/rung.js';
import { EventLoop, type LoopTimer, type LoopOptions } from '../../runtime/kernel/event-loop.js';
import { SourceSite } from '../../runtime/tasks/sites.js';
import { Task } from '../../runtime/tasks/task.js';

const MS = 1e6;
const site = new SourceSite('a.ts', 'call', 1, 1, 'f', 'f()', false);

function scope(rung: Rung = 0, strategy: Strategy = noDeviation): Scope {
  return { title: 't', rung, strategy };
}

function makeLoop(options: Partial<LoopOptions> = {}): EventLoop {
  return new EventLoop({
    drain: () => {},
    onError: (error) => {
      throw error;
    },
    onIdle: () => false,
    onBudget: () => {},
    maxSteps: 1000,
    maxStall: 10 * MS,
    ...options,
  });
}

function timer(task: Task, run: () => void): LoopTimer {
  const none = undefined;
  return { start: 0, duration: 0, list: none, previous: none, next: none, task, site, run };
}

describe('EventLoop', () => {
  it('runs a turn as poll, immediates, close callbacks, timers', () => {
    const loop = makeLoop();
    const task = Task.root(scope());
    const log: string[] = [];
    loop.after(MS, () => {
      loop.startTimer(
        timer(task, () => log.push(`timer ${loop.now / MS}`)),
        1,
      );
      loop.close(() => log.push('close'));
      loop.immediate(() => log.push('immediate'));
      loop.after(0, () => log.push('poll'));
    });
    loop.run();
    expect(log).to.deep.equal(['immediate', 'close', 'poll', 'timer 2']);
  });

  it('keeps timers of one duration in order, and others in due order', () => {
    const loop = makeLoop();
    const task = Task.root(scope());
    const log: number[] = [];
    for (const [i, ms] of [5, 3, 5, 4, 3].entries()) {
      loop.startTimer(
        timer(task, () => log.push(i)),
        ms,
      );
    }
    loop.run();
    expect(log).to.deep.equal([1, 4, 3, 0, 2]);
    expect(loop.now).to.equal(5 * MS);
  });

  it('empties a list that is overdue before it looks at the next, as Node does', () => {
    const loop = makeLoop();
    const task = Task.root(scope());
    const log: string[] = [];
    const start = (name: string, ms: number): void =>
      loop.startTimer(
        timer(task, () => log.push(name)),
        ms,
      );
    start('five, due 5', 5);
    loop.spend(2 * MS);
    start('five, due 7', 5);
    start('four, due 6', 4);
    loop.spend(10 * MS);
    loop.run();
    expect(log).to.deep.equal(['five, due 5', 'five, due 7', 'four, due 6']);
  });

  it('makes a late loop a choice about the timer that is next', () => {
    const late: Strategy = {
      ...noDeviation,
      delay: ({ kind }) => (kind === Kind.Stall ? 3 * MS : 0),
    };
    const loop = makeLoop();
    const task = Task.root(scope(NODE, late));
    let fired = 0;
    loop.startTimer(
      timer(task, () => (fired = loop.now)),
      5,
    );
    loop.run();
    expect(fired).to.equal(8 * MS);
    expect(loop.injected).to.equal(3 * MS);
  });

  it('lets a timer win against an immediate when the loop is late, and only then', () => {
    const order = (strategy: Strategy): string => {
      const loop = makeLoop();
      const task = Task.root(scope(NODE, strategy));
      const log: string[] = [];
      loop.startTimer(
        timer(task, () => log.push('timer')),
        1,
      );
      loop.immediate(() => log.push('immediate'));
      loop.run();
      return log.join();
    };
    expect(order(noDeviation)).to.equal('immediate,timer');
    expect(order({ ...noDeviation, delay: () => MS })).to.equal('timer,immediate');
  });

  it('postpones the timers of the test runner by the delay injected since', () => {
    const loop = makeLoop();
    const park: Strategy = { ...noDeviation, delay: () => 500 * MS };
    const task = Task.root(scope(ANY, park));
    let timedOut = 0;
    loop.startHarnessTimer(100 * MS, () => (timedOut = loop.now));
    const delay = loop.choose(Kind.Await, ANY, task, site, Infinity);
    loop.after(delay, () => {});
    loop.run();
    expect(timedOut).to.equal(600 * MS);
  });

  it('asks once nothing is left that could move the program, at once and not at the timeout', () => {
    const seen: number[] = [];
    const loop = makeLoop({
      onIdle: () => {
        seen.push(loop.now);
        return false;
      },
    });
    loop.startHarnessTimer(2000 * MS, () => {});
    loop.after(7 * MS, () => {});
    loop.run();
    expect(seen[0]).to.equal(7 * MS);
  });

  it('goes on after a callback that throws', () => {
    const errors: unknown[] = [];
    const loop = makeLoop({ onError: (error) => errors.push(error) });
    let reached = false;
    loop.after(0, () => {
      throw new Error('boom');
    });
    loop.after(1, () => (reached = true));
    loop.run();
    expect(errors.map(String)).to.deep.equal(['Error: boom']);
    expect(reached).to.equal(true);
  });

  it('says so when the step budget is spent', () => {
    let spent = 0;
    const loop = makeLoop({
      maxSteps: 50,
      onBudget: () => {
        spent = loop.steps;
        loop.stop();
      },
    });
    const again = (): void => void loop.immediate(again);
    again();
    loop.run();
    expect(spent).to.equal(50);
  });

  it('leaves every other choice as it was when one deviation is taken away', () => {
    const run = (strategy: Strategy): number[] => {
      const loop = makeLoop();
      const task = Task.root(scope(ANY, strategy));
      return Array.from({ length: 50 }, () => {
        const delay = loop.choose(Kind.Await, ANY, task, site, Infinity);
        return delay === 0 ? loop.random(task, site) : -1;
      });
    };
    const some = run({ ...noDeviation, delay: ({ occurrence: n }) => (n % 7 === 0 ? 5 : 0) });
    const fewer = run({ ...noDeviation, delay: ({ occurrence: n }) => (n === 14 ? 5 : 0) });
    expect(some.filter((v) => v === -1)).to.have.length(7);
    expect(fewer.filter((v) => v === -1)).to.have.length(1);
    expect(some.slice(0, 6)).to.deep.equal(fewer.slice(0, 6));
  });
});
