/** Tasks: paths, their hashes, and how deep they nest. */

import { expect } from 'chai';
import { noDeviation } from '../../runtime/kernel/choice.js';
import { hashString } from '../../runtime/kernel/hash.js';
import { EventLoop } from '../../runtime/kernel/event-loop.js';
import { Scheduler } from '../../runtime/tasks/scheduler.js';
import { hashOfPath } from '../../runtime/tasks/task.js';

function scheduler(): Scheduler {
  const nothing = (): void => {};
  const callbacks = { drain: nothing, onError: nothing, onIdle: () => false, onBudget: nothing };
  return new Scheduler(new EventLoop({ ...callbacks, maxSteps: 1, maxStall: 0 }));
}

describe('Task', () => {
  const scope = { title: 'a test', rung: 0, strategy: noDeviation } as const;
  const label = 'tick';

  it('has the hash of its path, so that a path in a text finds the task', () => {
    const s = scheduler();
    let task = s.beginScope(scope);
    for (const name of ['Pool.run', 'call:12', 'Pool.run']) {
      task = s.childTask(task, name, hashString(name));
    }
    expect(task.path()).to.equal('Pool.run.1/call:12.1/Pool.run.1');
    expect(hashOfPath('a test', task.path())).to.equal(task.hash);
  });

  it('nests to a bounded depth: a timer that sets itself again makes siblings from there on', () => {
    const s = scheduler();
    let task = s.beginScope(scope);
    const hashes = new Set<number>();
    for (let i = 0; i < 1000; i++) {
      task = s.childTask(task, label, hashString(label));
      hashes.add(task.hash);
    }
    expect(hashes.size).to.equal(1000);
    expect(task.path().length).to.be.below(200);
    expect(hashOfPath('a test', task.path())).to.equal(task.hash);
  });
});
