/** Mutex, RWMutex, Semaphore, WaitGroup, Once, Condition. */

import { expect } from 'chai';
import {
  Condition,
  DeadlockError,
  Mutex,
  Once,
  RWMutex,
  Semaphore,
  sleep,
  spawn,
  UnlockError,
  WaitGroup,
} from '../../../index.js';
import { inMacrotask, rejected, seedsThat, simulate, succeed } from './simulate.js';

/** Starts so many tasks. */
function start(count: number, fn: (i: number) => Promise<unknown>): void {
  for (let i = 0; i < count; i++) void spawn('task', () => fn(i));
}

function isDeadlock({ error }: { error: unknown }): boolean {
  return error instanceof DeadlockError;
}

describe('Mutex', () => {
  it(
    'lets one task in at a time',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        let counter = 0;
        succeed(() => {
          const mutex = new Mutex();
          start(20, async () => {
            await mutex.lock();
            const before = counter;
            await sleep(7);
            counter = before + 1;
            mutex.unlock();
          });
        }, seed);
        expect(counter).to.equal(20);
      }
    }),
  );

  it(
    'shows the update that is lost when it is let go between reading and writing',
    inMacrotask(() => {
      const scenario = (lost: () => void) => async () => {
        const mutex = new Mutex();
        const working = new WaitGroup();
        let counter = 0;
        working.add(4);
        start(4, async () => {
          await mutex.lock();
          const before = counter;
          mutex.unlock();
          await mutex.lock();
          counter = before + 1;
          mutex.unlock();
          working.done();
        });
        await working.wait();
        if (counter < 4) lost();
      };
      let lost = 0;
      for (let seed = 1; seed <= 5; seed++)
        succeed(
          scenario(() => lost++),
          seed,
        );
      expect(lost).to.be.greaterThan(0);
    }),
  );

  it(
    'goes to who has waited longest',
    inMacrotask(() => {
      const order: number[] = [];
      succeed(async () => {
        const mutex = new Mutex();
        await mutex.lock();
        start(4, async (i) => {
          await mutex.lock();
          order.push(i);
          mutex.unlock();
        });
        await sleep(1);
        expect(mutex.tryLock()).to.equal(false);
        mutex.unlock();
      });
      expect(order).to.deep.equal([0, 1, 2, 3]);
    }),
  );

  it('must be held to be unlocked', () => {
    const mutex = new Mutex();
    expect(() => mutex.unlock()).to.throw(UnlockError, 'nobody held the lock');
    expect(mutex.tryLock()).to.equal(true);
    mutex.unlock();
    expect(mutex.locked).to.equal(false);
  });
});

describe('RWMutex', () => {
  it(
    'lets readers in together, and writers alone',
    inMacrotask(() => {
      let together = 0;
      for (let seed = 0; seed < 100; seed++) {
        succeed(() => {
          const lock = new RWMutex();
          let readers = 0;
          let writing = false;
          start(6, async (i) => {
            if (i % 3 === 0) {
              await lock.lock();
              expect(readers).to.equal(0);
              expect(writing).to.equal(false);
              writing = true;
              await sleep(50);
              writing = false;
              lock.unlock();
              return;
            }
            await lock.rlock();
            expect(writing).to.equal(false);
            together = Math.max(together, ++readers);
            await sleep(50);
            readers--;
            lock.runlock();
          });
        }, seed);
      }
      expect(together).to.be.greaterThan(1);
    }),
  );

  it(
    'holds up new readers behind a writer that waits: reading twice can deadlock',
    inMacrotask(() => {
      const scenario = () => {
        const lock = new RWMutex();
        void spawn('reader', async () => {
          await lock.rlock();
          await lock.rlock();
          lock.runlock();
          lock.runlock();
        });
        void spawn('writer', async () => {
          await lock.lock();
          lock.unlock();
        });
      };
      const found = seedsThat(isDeadlock, 50, scenario);
      expect(found).to.be.within(1, 49);
    }),
  );

  it('must be held to be unlocked', () => {
    const lock = new RWMutex();
    expect(() => lock.unlock()).to.throw(UnlockError);
    expect(() => lock.runlock()).to.throw(UnlockError);
  });
});

describe('Semaphore', () => {
  it(
    'never gives more permits than there are, and none overtakes',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        let used = 0;
        succeed(() => {
          const semaphore = new Semaphore(3);
          start(8, async (i) => {
            const permits = 1 + (i % 3);
            await semaphore.acquire(permits);
            expect((used += permits)).to.be.at.most(3);
            await sleep(20);
            used -= permits;
            semaphore.release(permits);
          });
        }, seed);
        expect(used).to.equal(0);
      }
    }),
  );

  it(
    'serves a large request before the small ones that come after it',
    inMacrotask(() => {
      const order: string[] = [];
      succeed(async () => {
        const semaphore = new Semaphore(1);
        void spawn('large', async () => {
          await semaphore.acquire(2);
          order.push('large');
          semaphore.release(2);
        });
        await sleep(1);
        expect(semaphore.tryAcquire()).to.equal(false);
        void spawn('small', async () => {
          await semaphore.acquire();
          order.push('small');
        });
        await sleep(1);
        semaphore.release();
      });
      expect(order).to.deep.equal(['large', 'small']);
    }),
  );

  it('counts whole permits', () => {
    expect(() => new Semaphore(-1)).to.throw(RangeError);
    expect(() => new Semaphore(1).acquire(0)).to.throw(RangeError);
    expect(new Semaphore(2).available).to.equal(2);
  });
});

describe('WaitGroup', () => {
  it(
    'waits until all are done',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        let done = 0;
        succeed(async () => {
          const group = new WaitGroup();
          group.add(5);
          start(5, async (i) => {
            await sleep(i * 100);
            done++;
            group.done();
          });
          await group.wait();
          expect(done).to.equal(5);
          await group.wait();
        }, seed);
      }
    }),
  );

  it('cannot wait for fewer than none', () => {
    expect(() => new WaitGroup().done()).to.throw(RangeError, 'waits for 0');
  });
});

describe('Once', () => {
  it(
    'is done once, and all wait until it is',
    inMacrotask(() => {
      for (let seed = 0; seed < 50; seed++) {
        let times = 0;
        let ready = false;
        succeed(() => {
          const once = new Once();
          start(10, async () => {
            await once.do(async () => {
              times++;
              await sleep(100);
              ready = true;
            });
            expect(ready).to.equal(true);
          });
        }, seed);
        expect(times).to.equal(1);
      }
    }),
  );

  it(
    'counts as done when it fails, and the first caller learns why',
    inMacrotask(() => {
      succeed(async () => {
        const once = new Once();
        await rejected(
          once.do(() => {
            throw new RangeError('boom');
          }),
          RangeError,
        );
        await once.do(() => expect.fail('called again'));
      });
    }),
  );

  it(
    'waits for itself for ever when it is asked for inside',
    inMacrotask(() => {
      const once = new Once();
      expect(isDeadlock(simulate(() => once.do(() => once.do(() => {}))))).to.equal(true);
    }),
  );
});

describe('Condition', () => {
  it(
    'wakes one of three with a signal; the others wait for ever',
    inMacrotask(() => {
      for (let seed = 0; seed < 50; seed++) {
        let woken = 0;
        const { error } = simulate(async () => {
          const condition = new Condition(new Mutex());
          start(3, async () => {
            await condition.mutex.lock();
            await condition.wait();
            expect(condition.mutex.locked).to.equal(true);
            woken++;
            condition.mutex.unlock();
          });
          await sleep(100_000);
          condition.signal();
        }, seed);
        expect(woken).to.equal(1);
        expect((error as DeadlockError).blocked).to.have.length(2);
      }
    }),
  );

  it(
    'gives a signal to who has waited longest: a later one cannot take it',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        const woken: string[] = [];
        simulate(async () => {
          const condition = new Condition(new Mutex());
          const wait = (name: string) =>
            spawn(name, async () => {
              await condition.mutex.lock();
              await condition.wait();
              woken.push(name);
              condition.mutex.unlock();
            });
          void wait('early');
          await sleep(100_000);
          condition.signal();
          void wait('late');
        }, seed);
        expect(woken, `seed ${seed}`).to.deep.equal(['early']);
      }
    }),
  );

  it(
    'wakes all with a broadcast, one after the other',
    inMacrotask(() => {
      for (let seed = 0; seed < 50; seed++) {
        let inside = 0;
        let woken = 0;
        succeed(async () => {
          const condition = new Condition(new Mutex());
          start(3, async () => {
            await condition.mutex.lock();
            await condition.wait();
            expect(++inside).to.equal(1);
            await sleep(10);
            inside--;
            woken++;
            condition.mutex.unlock();
          });
          await sleep(100_000);
          condition.broadcast();
        }, seed);
        expect(woken).to.equal(3);
      }
    }),
  );

  it('is waited for with the lock held', () => {
    expect(() => new Condition(new Mutex()).wait()).to.throw(UnlockError);
  });
});

describe('a bounded buffer with one condition for both sides', () => {
  it(
    'deadlocks in some seed, when a signal wakes the wrong side',
    inMacrotask(() => {
      const scenario = () => {
        const condition = new Condition(new Mutex());
        const buffer: number[] = [];
        const side = (name: string, rounds: number, ready: () => boolean, act: () => void) =>
          spawn(name, async () => {
            for (let i = 0; i < rounds; i++) {
              await condition.mutex.lock();
              while (!ready()) await condition.wait();
              act();
              condition.signal();
              condition.mutex.unlock();
            }
          });
        for (let i = 0; i < 2; i++) {
          void side(
            'producer',
            4,
            () => buffer.length < 1,
            () => buffer.push(1),
          );
          void side(
            'consumer',
            4,
            () => buffer.length > 0,
            () => buffer.pop(),
          );
        }
      };
      expect(seedsThat(isDeadlock, 200, scenario)).to.be.greaterThan(0);
    }),
  );
});
