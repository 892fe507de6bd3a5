/** Lists of timers, in the cases in which a simple queue by due time would differ from Node. */

import { expect } from 'chai';
import { TimerLists, type ListedTimer } from '../../runtime/kernel/timer-lists.js';

interface Named extends ListedTimer {
  readonly name: string;
}

function named(name: string): Named {
  const none = undefined;
  return { name, start: 0, duration: 0, list: none, previous: none, next: none };
}

describe('TimerLists', () => {
  const make = (): {
    lists: TimerLists<Named>;
    add: (name: string, duration: number, start: number) => Named;
    pass: (now: number, during?: Record<string, () => void>) => string[];
  } => {
    const lists = new TimerLists<Named>();
    return {
      lists,
      add: (name, duration, start) => {
        const timer = named(name);
        lists.insert(timer, duration, start);
        return timer;
      },
      pass: (now, during = {}) => {
        const names: string[] = [];
        for (let t = lists.take(now); t !== undefined; t = lists.take(now)) {
          names.push(t.name);
          during[t.name]?.();
        }
        return names;
      },
    };
  };

  it('keeps the place of a list whose first timer has been put off', () => {
    const { lists, add, pass } = make();
    const watchdog = add('watchdog', 60, 0);
    lists.insert(watchdog, 60, 30);
    add('due earlier', 35, 30);
    expect(lists.expiry).to.equal(60);
    expect(pass(100)).to.deep.equal(['watchdog', 'due earlier']);
    expect(lists.expiry).to.equal(Infinity);
  });

  it('looks at such a list for nothing when it is in time', () => {
    const { lists, add, pass } = make();
    lists.insert(add('watchdog', 60, 0), 60, 30);
    expect(pass(60)).to.deep.equal([]);
    expect(lists.expiry).to.equal(90);
    expect(pass(90)).to.deep.equal(['watchdog']);
  });

  it('puts a list that its own callback refills behind those made meanwhile', () => {
    const { add, pass } = make();
    add('first', 20, 0);
    const refill = (): void => {
      add('twenty', 20, 20);
      add('fifteen', 15, 25);
    };
    expect(pass(20, { first: refill })).to.deep.equal(['first']);
    expect(pass(40)).to.deep.equal(['fifteen', 'twenty']);
  });

  it('makes a new list when a callback has cleared the last timer of its list', () => {
    const { lists, add, pass } = make();
    const first = add('first', 20, 0);
    const refill = (): void => {
      lists.remove(first);
      add('twenty', 20, 20);
      add('fifteen', 15, 25);
    };
    expect(pass(20, { first: refill })).to.deep.equal(['first']);
    expect(pass(40)).to.deep.equal(['twenty', 'fifteen']);
  });

  it('moves a timer to another list, and drops the one it leaves empty', () => {
    const { lists, add, pass } = make();
    const timer = add('moved', 20, 0);
    lists.insert(timer, 5, 0);
    expect(lists.expiry).to.equal(5);
    expect(lists.size).to.equal(1);
    expect(pass(30)).to.deep.equal(['moved']);
    expect(lists.remove(timer)).to.equal(false);
    expect(lists.size).to.equal(0);
  });
});
