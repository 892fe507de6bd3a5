/** What a program may say about itself, in a simulation and outside of one. */

import { expect } from 'chai';
import { spawn, stub } from '../../index.js';
import { Kind, noDeviation, type Decision } from '../../runtime/kernel/choice.js';
import { STUBS } from '../../runtime/kernel/rung.js';
import { EventLoop } from '../../runtime/kernel/event-loop.js';
import { enter, file } from '../../runtime/tasks/hooks.js';
import { active, Scheduler } from '../../runtime/tasks/scheduler.js';

const base = file('api.ts', [
  ['function', 1, 1, 'produce', 'produce'],
  ['await', 2, 1, 'produce', 'put()'],
]);

async function produce(operand: unknown): Promise<string> {
  const $f = enter(base);
  try {
    $f.resume(await $f.suspend(operand, base + 1));
    return 'done';
  } finally {
    $f.exit();
  }
}

/** Runs `main` and returns the choices of awaits. */
function choicesOf(main: () => void): Promise<Decision[]> {
  const { _tickCallback: drain } = process as unknown as { _tickCallback(): void };
  const nothing = (): void => {};
  const callbacks = { drain, onError: nothing, onIdle: () => false, onBudget: nothing };
  return new Promise((resolve) => {
    setImmediate(() => {
      const choices: Decision[] = [];
      const loop = new EventLoop({ ...callbacks, maxSteps: 1000, maxStall: 0 });
      loop.recorder = { choice: (decision) => void choices.push(decision) };
      const scheduler = new Scheduler(loop);
      scheduler.beginScope({ title: 'test', rung: 0, strategy: noDeviation });
      active.scheduler = scheduler;
      main();
      loop.run();
      scheduler.ended = true;
      active.scheduler = undefined;
      resolve(choices.filter((c) => c.kind === Kind.Await));
    });
  });
}

describe('spawn', () => {
  it('names a task, and numbers those of one name', async () => {
    const choices = await choicesOf(() => {
      void spawn('producer', () => produce(null));
      void spawn('producer', () => produce(null));
      void spawn('a/b #1', () => produce(null));
    });
    const paths = choices.map((c) => c.task.path());
    expect(paths).to.deep.equal(['producer.1', 'producer.2', 'a_b _1.1']);
  });

  it('hands on results and failures outside a simulation', async () => {
    expect(await spawn('one', () => produce(null))).to.equal('done');
    expect(await spawn('two', () => 2)).to.equal(2);
    const failing = spawn('three', () => {
      throw new Error('at once');
    });
    expect(await failing.catch((error: Error) => error.message)).to.equal('at once');
  });
});

describe('stub', () => {
  it('makes the next await of a promise one of a stand-in', async () => {
    const choices = await choicesOf(() => void produce(stub(Promise.resolve())));
    expect(choices.map((c) => c.rung)).to.deep.equal([STUBS]);
  });

  it('hands on what it is given outside a simulation', () => {
    const promise = Promise.resolve();
    expect(stub(promise)).to.equal(promise);
  });
});
