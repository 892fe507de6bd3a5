/**
 * The clocks of a simulation: what they say, that they agree, and that a loop that polls one ends.
 */

import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { expect } from 'chai';
import { EPOCH } from '../../runtime/node/clock.js';
import { simulate } from './simulate.js';

/** The time of a mark that `performance.mark` did not make. */
function markMadeByHand(): number {
  const Mark = PerformanceMark as unknown as new (name: string) => { startTime: number };
  return new Mark('by hand').startTime;
}

describe('virtual clocks', function () {
  this.timeout(20_000);

  it('start at a fixed date and agree with each other', () => {
    const { log } = simulate((write) => {
      setTimeout(() => {
        write(new Date().toISOString(), Date.now(), new Date(Date()).toISOString());
        write(performance.timeOrigin + performance.now() - Date.now());
        write(process.uptime() * 1000 - performance.now(), os.uptime());
        write(process.hrtime(), process.hrtime.bigint());
        write(new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC' }).format());
        write(new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).formatToParts()[4].value);
        write(new Date().toLocaleDateString('en-US', { timeZone: 'UTC' }));
      }, 2500);
    });
    expect(log).to.deep.equal([
      ...['2026-01-01T00:00:02.500Z', EPOCH + 2500, '2026-01-01T00:00:02.000Z', 0, 0],
      ...[3602.5, [3602, 500_000_000], 3_602_500_000_000n, '01/01/2026', '2026', '1/1/2026'],
    ]);
  });

  it('read nothing as 0', () => {
    const { log } = simulate((write) => {
      write(Date.now() > 0, performance.now() > 0, process.uptime() > 0, process.hrtime()[0] > 0);
    });
    expect(log).to.deep.equal([true, true, true, true]);
  });

  it('do not change the clocks outside', () => {
    simulate(() => {
      setTimeout(() => {}, 10_000);
    });
    const real = Number(execFileSync(process.execPath, ['-p', 'Date.now()']));
    expect(Math.abs(Date.now() - real)).to.be.lessThan(60_000);
    expect(performance.timeOrigin).to.be.greaterThan(EPOCH);
  });

  it('a loop that polls a clock ends', () => {
    for (const read of [
      () => Date.now(),
      () => new Date().getTime(),
      () => performance.now(),
      () => Number(process.hrtime.bigint()) / 1e6,
      () => process.uptime() * 1e3,
    ]) {
      const { scheduler } = simulate(() => {
        const end = read() + 1000;
        while (read() < end);
      });
      expect(scheduler.loop.now).to.be.within(1e9, 1.002e9);
    }
  });

  it('a loop of awaits or immediates that polls a clock ends', () => {
    const { log, scheduler } = simulate(async (write) => {
      const start = Date.now();
      while (Date.now() < start + 50) await null;
      write('awaits');
      while (Date.now() < start + 100) await new Promise((resolve) => setImmediate(resolve));
      write('immediates');
    });
    expect(log).to.deep.equal(['awaits', 'immediates']);
    expect(scheduler.loop.now).to.be.within(100e6, 102e6);
  });

  it('a loop of immediates that waits for a timer ends', () => {
    const { log } = simulate(
      async (write) => {
        let fired = false;
        setTimeout(() => (fired = true), 20);
        while (!fired) await new Promise((resolve) => setImmediate(resolve));
        write('fired');
      },
      { maxSteps: 8000 },
    );
    expect(log).to.deep.equal(['fired']);
  });

  it('a loop of immediates that waits for nothing stands still', () => {
    const { scheduler } = simulate(
      async () => {
        for (;;) await new Promise((resolve) => setImmediate(resolve));
      },
      { maxSteps: 2500 },
    );
    expect(scheduler.loop.now).to.equal(0);
  });

  it('stand still for a thousand reads', () => {
    const { log } = simulate((write) => {
      const start = performance.now();
      for (let i = 0; i < 999; i++) performance.now();
      write(performance.now() - start);
      write(performance.now() - start > 0);
    });
    expect(log[0]).to.be.lessThan(0.002);
    expect(log[1]).to.equal(true);
  });

  it('Atomics.wait lets time pass', () => {
    const { log } = simulate((write) => {
      const cell = new Int32Array(new SharedArrayBuffer(4));
      const start = Date.now();
      write(Atomics.wait(cell, 0, 0, 250), Date.now() - start, Atomics.wait(cell, 0, 1, 250));
      write(Date.now() - start);
    });
    expect(log).to.deep.equal(['timed-out', 250, 'not-equal', 250]);
  });

  it('objects carry the time of their making', () => {
    const { log } = simulate((write) => {
      setTimeout(() => {
        const event = new Event('x');
        write(event.timeStamp, new File([], 'name').lastModified - EPOCH);
        write(performance.mark('clock-test').startTime, markMadeByHand());
        setTimeout(() => {
          write(performance.measure('clock-test', 'clock-test').duration, event.timeStamp);
          performance.clearMarks('clock-test');
          performance.clearMeasures('clock-test');
        }, 7);
      }, 20);
    });
    expect(log).to.deep.equal([120, 20, 120, 120, 7, 120]);
  });

  it('figures of process and machine are fixed', () => {
    const figures = (): unknown[] => [
      process.memoryUsage(),
      process.memoryUsage.rss(),
      process.cpuUsage(),
      process.cpuUsage(process.cpuUsage()),
      process.resourceUsage(),
      os.loadavg(),
      os.freemem(),
      os.cpus(),
      process.pid,
    ];
    const runs = [1, 2].map(() => simulate((write) => write(...figures())).log);
    expect(runs[0]).to.deep.equal(runs[1]);
    expect(runs[0][3]).to.deep.equal({ user: 0, system: 0 });
    expect(process.pid).to.not.equal(runs[0][8]);
    expect(Object.keys(process.memoryUsage())).to.deep.equal(Object.keys(runs[0][0] as object));
    expect(Object.keys(process.resourceUsage()).sort()).to.deep.equal(
      Object.keys(runs[0][4] as object).sort(),
    );
  });
});
