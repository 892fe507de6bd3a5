/**
 * Tests that can never end, that end the process, or whose errors nobody catches: each fails, with
 * what is needed to see why, and the next one runs.
 */

import { expect } from 'chai';
import { type DeadlockError } from '../../runtime/errors.js';
import { runSpec, statesOf, testOf } from './project.js';

describe('mocha: tests that get stuck', function () {
  this.timeout(20_000);

  it('reports a circular wait with both tasks, what they wait for, and their stacks', async () => {
    const result = await runSpec(
      `
      import { Lock } from './lock.js';
      async function transfer(from: Lock, to: Lock) {
        await from.lock();
        await to.lock();
      }
      it('circle', async () => {
        const [a, b] = [new Lock(), new Lock()];
        const first = transfer(a, b);
        const second = transfer(b, a);
        await Promise.all([first, second]);
      });
      it('goes on', async () => { await null; });
      `,
      {
        'lock.ts': `export class Lock {
          private held = false;
          private readonly waiting: (() => void)[] = [];
          async lock(): Promise<void> {
            if (!this.held) { this.held = true; return; }
            await new Promise<void>((resolve) => this.waiting.push(resolve));
          }
        }`,
      },
    );
    expect(statesOf(result)).to.deep.equal(['circle: failed', 'goes on: passed']);
    const { kind, error, message } = testOf(result, 'circle').failure!;
    expect(kind).to.equal('deadlock');
    const { blocked } = error as DeadlockError;
    const text = 'new Promise<void>((resolve) => this.waiting.push(resolve))';
    expect(blocked.map(({ name, waitsFor }) => [name, waitsFor])).to.deep.equal([
      ['', 'Promise.all([first, second])'],
      ['transfer#1', text],
      ['transfer#2', text],
    ]);
    expect(blocked[1]).to.deep.include({
      position: 'lock.ts:6:13',
      stack: [
        'Lock.lock (lock.ts:6:13)',
        'transfer (a.spec.ts:5:9)',
        '<anonymous> (a.spec.ts:11:9)',
      ],
    });
    expect(message).to.include('3 tasks wait for what never happens');
    expect(testOf(result, 'circle').virtualNs).to.equal(0);
  });

  it('says that a test waits for its callback', async () => {
    const result = await runSpec(`
      it('first', async () => { await new Promise(() => {}); });
      it('second', (_done) => {});
      it('third', () => new Promise(() => {}));
    `);
    expect(statesOf(result)).to.deep.equal(['first: failed', 'second: failed', 'third: failed']);
    const second = testOf(result, 'second').failure!.error as DeadlockError;
    expect(second.blocked).to.have.length(1);
    expect(second.message).to.include('the test waits for its callback \`done\` at a.spec.ts');
    expect(testOf(result, 'third').failure!.kind).to.equal('deadlock');
  });

  it('says that a hook or a file waits', async () => {
    const hook = await runSpec(`
      before(async () => { await new Promise(() => {}); });
      it('x', () => {});
    `);
    expect(hook.tests.map(({ title, state }) => [title, state])).to.deep.equal([
      ['"before all" hook for "x"', 'failed'],
      ['x', 'skipped'],
    ]);
    expect(hook.tests[0].failure!.message).to.include('the hook waits for new Promise(() => {})');
    const file = await runSpec(`await new Promise(() => {});`, {
      'package.json': '{ "type": "module" }',
    });
    expect(file.loadError!.message).to.include(
      'the file waits for new Promise(() => {}) at a.spec',
    );
  });

  it('cuts an endless round of events, and drops what is still to come of it', async () => {
    const result = await runSpec(
      `
      const again = () => setImmediate(again);
      it('round and round', async () => { again(); await new Promise(() => {}); });
      it('after it', async () => { await new Promise((r) => setTimeout(r, 1000)); });
      `,
      {},
      {},
      { maxSteps: 2000 },
    );
    expect(statesOf(result)).to.deep.equal(['round and round: failed', 'after it: passed']);
    expect(testOf(result, 'round and round').failure!.kind).to.equal('livelock');
    expect(result.steps).to.be.lessThan(3000);
  });

  it('ends the test, and not the process, when the program wants to exit', async () => {
    const result = await runSpec(`
      it('exits', async () => { await null; process.exit(3); });
      it('exits and catches', (done) => { try { process.abort(); } catch { done(); } });
      it('kills itself', () => { process.kill(process.pid); });
      it('looks whether it is alive', () => { process.kill(process.pid, 0); });
      after(() => { process.exitCode = 7; });
    `);
    expect(statesOf(result)).to.deep.equal([
      'exits: failed',
      'exits and catches: failed',
      'kills itself: failed',
      'looks whether it is alive: passed',
    ]);
    expect(testOf(result, 'exits').failure!.message).to.match(/^process\.exit\(3\) was called/);
    expect(testOf(result, 'exits').failure!.site).to.equal('a.spec.ts:2:53');
    const atLoad = await runSpec(`process.exit(0);`);
    expect(atLoad.loadError!.message).to.match(/^process\.exit\(0\) was called/);
  });

  it('fails the running test for an error that nobody catches', async () => {
    const result = await runSpec(`
      const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
      const fail = (message: string) => () => { throw new Error(message); };
      it('in a timer', async () => { setTimeout(fail('timer'), 1); await sleep(5); });
      it('in a tick', (done) => { process.nextTick(fail('tick')); setTimeout(done, 5); });
      it('a rejection', async () => { void Promise.reject(new Error('lost')); await sleep(5); });
      it('a rejection without reason', async () => { void Promise.reject(); await sleep(5); });
      it('handled in time', async () => {
        const p = Promise.reject(new Error());
        await null;
        p.catch(() => {});
        await sleep(5);
      });
      it('in an emitter', async () => {
        const { EventEmitter } = await import('node:events');
        setTimeout(() => new EventEmitter().emit('error', new Error('emitted')), 1);
        await sleep(5);
      });
    `);
    expect(statesOf(result)).to.deep.equal([
      'in a timer: failed',
      'in a tick: failed',
      'a rejection: failed',
      'a rejection without reason: failed',
      'handled in time: passed',
      'in an emitter: failed',
    ]);
    const kind = (title: string) => testOf(result, title).failure!.kind;
    expect(kind('in a timer')).to.equal('error');
    expect(kind('a rejection')).to.equal('unhandledRejection');
    expect(kind('a rejection without reason')).to.equal('unhandledRejection');
    expect(testOf(result, 'in an emitter').failure!.message).to.equal('emitted');
  });

  it('hands errors to the listeners of the program', async () => {
    const result = await runSpec(`
      import { expect } from 'chai';
      const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
      it('a rejection', async () => {
        const seen: unknown[] = [];
        process.on('unhandledRejection', (reason) => seen.push(reason));
        void Promise.reject('lost');
        await sleep(5);
        expect(seen).to.deep.equal(['lost']);
      });
      it('a listener that throws', async () => {
        process.removeAllListeners('unhandledRejection');
        process.on('unhandledRejection', () => { throw new Error('thrown on'); });
        void Promise.reject('lost');
        await sleep(5);
      });
    `);
    expect(statesOf(result)).to.deep.equal([
      'a rejection: passed',
      'a listener that throws: failed',
    ]);
    expect(testOf(result, 'a listener that throws').failure!.message).to.equal('thrown on');
  });
});
