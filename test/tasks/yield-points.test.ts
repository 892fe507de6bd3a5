/**
 * Yield points in hand-instrumented code: the default adds nothing, a park makes one await late,
 * and all that hangs on one promise stays in order.
 */

import { expect } from 'chai';
import { noDeviation, type Decision, type Strategy } from '../../runtime/kernel/choice.js';
import { ANY, STUBS, type Rung } from '../../runtime/kernel/rung.js';
import { EventLoop } from '../../runtime/kernel/event-loop.js';
import { enter, file, react, tag } from '../../runtime/tasks/hooks.js';
import type { FrameHooks } from '../../runtime/tasks/frame.js';
import { active, Scheduler } from '../../runtime/tasks/scheduler.js';
import type { SiteTuple } from '../../runtime/tasks/sites.js';

const MS = 1e6;
const drain = (process as unknown as { _tickCallback(): void })._tickCallback;

const table: SiteTuple[] = [
  ['function', 1, 1, 'job', 'job'],
  ['await', 2, 1, 'job', 'step()'],
  ['await', 3, 1, 'job', 'other()'],
  ['reaction', 4, 1, 'job', 'p.then'],
  ['return', 5, 1, 'job', 'p'],
  ['forAwait', 6, 1, 'job', 'items'],
];
const FN = 0;
const AWAIT = 1;
const OTHER = 2;
const REACTION = 3;
const RETURN = 4;
const LOOP = 5;
const base = file('yield.ts', table);
const stubBase = file(
  'stub.ts',
  [
    ['function', 1, 1, 'standIn', ''],
    ['await', 2, 1, '', ''],
  ],
  true,
);

interface Ran {
  decisions: Decision[];
  loop: EventLoop;
}

/** Delays the choice of that occurrence at that line. */
function delayAt(line: number, occurrence: number, delay: number): [number, number, number] {
  return [line, occurrence, delay];
}

function simulate(
  main: () => void,
  delays: [number, number, number][] = [],
  rung: Rung = ANY,
): Ran {
  const decisions: Decision[] = [];
  const loop = new EventLoop({
    drain,
    onError: (error) => {
      throw error;
    },
    onIdle: () => false,
    onBudget: () => {},
    maxSteps: 10_000,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  loop.recorder = { choice: (decision) => void decisions.push(decision) };
  const strategy: Strategy = { ...noDeviation, delay: () => wanted };
  let wanted = 0;
  const seen = new Map<number, number>();
  const choose = loop.choose.bind(loop);
  loop.choose = (kind, r, task, site, limit) => {
    const line = Number(site.position().split(':')[1]);
    seen.set(line, (seen.get(line) ?? 0) + 1);
    const hit = delays.find(([l, n]) => l === line && n === seen.get(line));
    wanted = Math.min(limit, hit?.[2] ?? 0);
    return choose(kind, r, task, site, limit);
  };
  scheduler.beginScope({ title: 'test', rung, strategy });
  active.scheduler = scheduler;
  try {
    main();
    loop.run();
  } finally {
    scheduler.ended = true;
    active.scheduler = undefined;
  }
  return { decisions, loop };
}

/** An instrumented async function whose body awaits `operands` one after the other. */
async function job(name: string, log: string[], operands: unknown[]): Promise<void> {
  const $f = enter(base + FN);
  try {
    for (const operand of operands) {
      $f.resume(await $f.suspend(operand, base + AWAIT));
      log.push(name);
    }
  } finally {
    $f.exit();
  }
}

function inMacrotask(fn: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        fn();
        resolve();
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

describe('yield points', () => {
  it('leave the order of microtasks as it is by default', () =>
    inMacrotask(() => {
      const log: string[] = [];
      simulate(() => {
        void job('a', log, [null, Promise.resolve(), null]);
        void job('b', log, [null, null, null]);
        void Promise.resolve().then(() => log.push('native'));
      });
      expect(log.join(' ')).to.equal('a b native a b a b');
    }));

  it('hand the very operand back by default', () =>
    inMacrotask(() => {
      simulate(() => {
        const $f = enter(base + FN);
        const operand = Promise.resolve();
        expect($f.suspend(operand, base + AWAIT)).to.equal(operand);
        expect($f.leave(operand, base + RETURN)).to.equal(operand);
      });
    }));

  it('make one await late by a park, in virtual time', () =>
    inMacrotask(() => {
      const log: string[] = [];
      const { loop } = simulate(() => {
        void job('a', log, [null, null]);
        void job('b', log, [null, null]);
      }, [delayAt(2, 1, 5 * MS)]);
      expect(log.join(' ')).to.equal('b b a a');
      expect(loop.now).to.equal(5 * MS);
      expect(loop.injected).to.equal(5 * MS);
    }));

  it('share one latency among all that awaits one promise, in order', () =>
    inMacrotask(() => {
      const log: string[] = [];
      simulate(() => {
        const shared = Promise.resolve();
        void job('a', log, [shared]);
        void job('b', log, [shared]);
        void (react(shared, 'then', base + REACTION, () => log.push('c')) as Promise<unknown>);
        void job('d', log, [null]);
      }, [delayAt(2, 1, MS)]);
      expect(log.join(' ')).to.equal('d a b c');
    }));

  it('subscribe to a thenable once, and late as await does', () =>
    inMacrotask(() => {
      for (const delays of [[], [delayAt(2, 1, MS)]]) {
        let reads = 0;
        let calls = 0;
        const thenable = {
          get then() {
            reads++;
            return (resolve: (v: string) => void) => {
              calls++;
              resolve('x');
            };
          },
        };
        const log: string[] = [];
        simulate(() => {
          void job('a', log, [thenable]);
          expect([reads, calls]).to.deep.equal([1, 0]);
        }, delays);
        expect([reads, calls]).to.deep.equal([1, 1]);
        expect(log).to.deep.equal(['a']);
      }
    }));

  it('reject late without an unhandled rejection', () =>
    inMacrotask(() => {
      const unhandled: unknown[] = [];
      const listener = (reason: unknown): void => void unhandled.push(reason);
      process.on('unhandledRejection', listener);
      const caught: string[] = [];
      simulate(() => {
        const failing = Promise.reject(new Error('late'));
        job('a', [], [failing]).catch((error: Error) => caught.push(error.message));
      }, [delayAt(2, 1, MS)]);
      process.off('unhandledRejection', listener);
      expect(caught).to.deep.equal(['late']);
      expect(unhandled).to.deep.equal([]);
    }));

  it('take the promise of a stand-in as external, and no other', () =>
    inMacrotask(() => {
      async function standIn(): Promise<void> {
        const $f = enter(stubBase);
        try {
          $f.resume(await $f.suspend(null, stubBase + 1));
        } finally {
          $f.exit();
        }
      }
      async function user(): Promise<void> {
        const $f = enter(base + FN);
        try {
          $f.resume(await $f.suspend(standIn(...($f.noArgs() as [])), base + AWAIT));
          $f.resume(await $f.suspend(Promise.resolve(), base + OTHER));
          $f.resume(await $f.suspend(tag(Promise.resolve()), base + OTHER));
        } finally {
          $f.exit();
        }
      }
      const { decisions } = simulate(() => void user());
      const rungs = decisions.map((d) => `${d.site.position()} ${d.rung}`);
      expect(rungs).to.deep.equal([
        `stub.ts:2:1 ${ANY}`,
        `yield.ts:2:1 ${STUBS}`,
        `yield.ts:3:1 ${ANY}`,
        `yield.ts:3:1 ${STUBS}`,
      ]);
    }));

  it('take a stand-in that sets a timer as timed by that, and none for a timer set before', () =>
    inMacrotask(() => {
      const setTimer = (): void => active.scheduler!.countStandInLatency();
      const timed = (): Promise<void> => {
        setTimer();
        return tag(Promise.resolve());
      };
      const instant = (): Promise<void> => tag(Promise.resolve());
      async function user(): Promise<void> {
        const $f = enter(stubBase);
        try {
          setTimer();
          $f.resume(await $f.suspend(instant(...($f.noArgs() as [])), base + AWAIT));
          $f.resume(await $f.suspend(timed(...($f.noArgs() as [])), base + OTHER));
        } finally {
          $f.exit();
        }
      }
      const { decisions } = simulate(() => void user());
      expect(decisions.map((d) => d.rung)).to.deep.equal([STUBS, ANY]);
    }));

  it('let a stand-in that awaits a stand-in be late once', () =>
    inMacrotask(() => {
      const inner = (): Promise<void> => tag(Promise.resolve());
      async function outer(): Promise<void> {
        const $f = enter(stubBase);
        try {
          $f.resume(await $f.suspend(inner(...($f.noArgs() as [])), stubBase + 1));
        } finally {
          $f.exit();
        }
      }
      async function user(): Promise<void> {
        const $f = enter(base + FN);
        try {
          $f.resume(await $f.suspend(outer(...($f.noArgs() as [])), base + AWAIT));
        } finally {
          $f.exit();
        }
      }
      const { decisions } = simulate(() => void user());
      const rungs = decisions.map((d) => `${d.site.position()} ${d.rung}`);
      expect(rungs).to.deep.equal([`stub.ts:2:1 ${STUBS}`, `yield.ts:2:1 ${ANY}`]);
    }));

  it('name tasks by their spawn path, and keep a directly awaited call in its task', () =>
    inMacrotask(() => {
      const paths: string[] = [];
      const inner = async (): Promise<void> => {
        const $f = enter(base + FN);
        try {
          $f.resume(await $f.suspend(null, base + AWAIT));
        } finally {
          $f.exit();
        }
      };
      async function outer(): Promise<void> {
        const $f = enter(base + FN);
        try {
          void inner();
          $f.resume(await $f.suspend(inner(...($f.noArgs() as [])), base + OTHER));
          void inner();
        } finally {
          $f.exit();
        }
      }
      const { decisions } = simulate(() => void outer());
      for (const d of decisions) paths.push(`${d.site.position().split(':')[1]} ${d.task.path()}`);
      expect(paths).to.deep.equal(['2 job.1/job.1', '2 job.1', '3 job.1', '2 job.1/job.2']);
    }));

  it('iterate as for await does, one decision a step, and close the iterator', () =>
    inMacrotask(() => {
      const log: string[] = [];
      async function* items(): AsyncGenerator<number> {
        try {
          yield 1;
          yield 2;
          yield 3;
        } finally {
          log.push('closed');
        }
      }
      async function loop(of: unknown): Promise<void> {
        const $f: FrameHooks = enter(base + FN);
        try {
          for await (const item of $f.iterate(of, base + LOOP) as AsyncIterable<number>) {
            $f.resume();
            log.push(String(item));
            if (item === 2) break;
          }
          $f.resume();
        } finally {
          $f.exit();
        }
      }
      const { decisions } = simulate(() => {
        void loop(items());
        void loop([1, Promise.resolve(2), 3]);
      });
      expect(log.sort().join(' ')).to.equal('1 1 2 2 closed');
      expect(decisions.map((d) => d.site.position())).to.include('yield.ts:6:1');
    }));
});
