/**
 * What the results of a trial say of passing, failing, pending and retried tests, and their times.
 */

import { expect } from 'chai';
import path from 'node:path';
import type { ScopePlan } from '../../runtime/explore/plan.js';
import { noDeviation } from '../../runtime/kernel/choice.js';
import { mochaProject, runnerOf, runSpec, statesOf, testOf, trial } from './project.js';

const SLEEP = 'const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));\n';

/** Every delay that may deviate does, by `ms`. */
const delayAll =
  (ms: number): ScopePlan =>
  () => ({
    rung: 3,
    strategy: {
      ...noDeviation,
      delay: ({ limit }) => Math.min(limit, ms * 1e6),
    },
  });

describe('mocha: results', function () {
  this.timeout(20_000);

  it('tells passed, failed, pending and skipped tests apart', async () => {
    const result = await runSpec(`${SLEEP}
      import { expect } from 'chai';
      describe('outer', () => {
        it('passes', async () => { await sleep(100); });
        it('calls back', (done) => { setTimeout(done, 100); });
        it('fails', () => { expect([1]).to.deep.equal([2]); });
        it('throws', async () => { throw new TypeError('no'); });
        it('calls back with an error', (done) => { setTimeout(() => done(new Error('late')), 1); });
        it('is to come');
        it.skip('is skipped', () => { throw new Error('never'); });
        it('skips itself', function () { this.skip(); });
        describe('inner', () => {
          beforeEach('set-up', async () => { await sleep(5); });
          it('passes as well', () => {});
        });
        describe.skip('not at all', () => { it('is skipped with its suite', () => {}); });
      });
    `);
    expect(statesOf(result)).to.deep.equal([
      'outer passes: passed',
      'outer calls back: passed',
      'outer fails: failed',
      'outer throws: failed',
      'outer calls back with an error: failed',
      'outer is to come: pending',
      'outer is skipped: pending',
      'outer skips itself: pending',
      'outer inner passes as well: passed',
      'outer not at all is skipped with its suite: pending',
    ]);
    expect(testOf(result, 'outer passes').virtualNs).to.equal(100e6);
    expect(testOf(result, 'outer inner passes as well').virtualNs).to.equal(5e6);
    const fails = testOf(result, 'outer fails').failure!;
    expect(fails.kind).to.equal('assertion');
    expect(fails.site).to.equal('a.spec.ts:7:49');
    expect(fails.expected).to.equal('[ 2 ]');
    expect(testOf(result, 'outer throws').failure).to.include({ kind: 'error', name: 'TypeError' });
  });

  it('says where an assertion of chai 4 failed, whose errors inherit from Error only', async () => {
    const spec = `declare const require: any;
      const { expect } = require('chai');
      it('fails', () => {
        expect(1).to.equal(2);
      });`;
    const root = mochaProject({ 'a.spec.ts': spec }, { chai: 'old-chai-4' });
    const result = await trial(runnerOf(root), path.join(root, 'a.spec.ts'));
    const failure = testOf(result, 'fails').failure!;
    expect(failure.site).to.equal('a.spec.ts:4:22');
    expect(failure.stack.match(/^ +at /gm)).to.have.length(1);
  });

  it('fails a test that is too slow by itself with the message of mocha', async () => {
    const result = await runSpec(`${SLEEP}
      it('two seconds', async () => { await sleep(2000); });
      it('more', async () => { await sleep(2001); });
      it('own timeout', async function () { this.timeout(50); await sleep(60); });
      it('none', async function () { this.timeout(0); await sleep(1e6); });
      it('longer by half', async function () {
        await sleep(1500);
        this.timeout(5000);
        await sleep(1500);
      });
      it('slow callback', (done) => { setTimeout(done, 90_000); });
    `);
    expect(statesOf(result)).to.deep.equal([
      'two seconds: passed',
      'more: failed',
      'own timeout: failed',
      'none: passed',
      'longer by half: passed',
      'slow callback: failed',
    ]);
    const { kind, message } = testOf(result, 'more').failure!;
    expect(kind).to.equal('timeout');
    expect(message).to.match(/^Timeout of 2000ms exceeded.*\(a\.spec\.ts\)$/);
    expect(testOf(result, 'own timeout').virtualNs).to.equal(50e6);
  });

  it('does not count delay that the scheduler injects', async () => {
    const spec = `${SLEEP}
      it('sleeps', async () => { await sleep(1500); await sleep(400); });
      it('is too slow', async () => { await sleep(1500); await sleep(600); });
      it('calls back', (done) => { sleep(1900).then(() => done()); });
    `;
    const late = await runSpec(spec, {}, { plan: delayAll(30_000) });
    expect(statesOf(late)).to.deep.equal([
      'sleeps: passed',
      'is too slow: failed',
      'calls back: passed',
    ]);
    expect(testOf(late, 'sleeps').virtualNs).to.be.greaterThan(60e9);
    expect(testOf(late, 'is too slow').failure!.kind).to.equal('timeout');
  });

  it('gives every attempt of a retried test choices of its own, and the last result', async () => {
    const scopes: string[] = [];
    const plan: ScopePlan = (scope) => {
      scopes.push(scope);
      return delayAll(0)(scope);
    };
    const spec = `
      let attempts = 0;
      it('third time lucky', async function () {
        this.retries(3);
        await null;
        if (++attempts < 3) throw new Error('attempt ' + attempts);
      });
      it('never', function () { this.retries(1); throw new Error('again'); });
    `;
    const result = await runSpec(spec, {}, { plan });
    expect(statesOf(result)).to.deep.equal(['third time lucky: passed', 'never: failed']);
    expect(scopes).to.deep.equal([
      '(load)',
      'third time lucky',
      'third time lucky (attempt 2)',
      'third time lucky (attempt 3)',
      'never',
      'never (attempt 2)',
    ]);
  });

  it('puts failures of hooks where they belong', async () => {
    const result = await runSpec(`
      describe('each', () => {
        beforeEach('make it', function () {
          if (this.currentTest!.title === 'two') throw new Error('x');
        });
        it('one', () => {});
        it('two', () => {});
        it('three', () => {});
      });
      describe('all', () => {
        before(async () => { throw new Error('y'); });
        it('four', () => {});
      });
      describe('after', () => {
        afterEach(() => { throw new Error('z'); });
        it('five', () => {});
      });
    `);
    expect(statesOf(result)).to.deep.equal([
      'each one: passed',
      'each two: failed',
      'all "before all" hook for "four": failed',
      'after five: failed',
      'each three: skipped',
      'all four: skipped',
    ]);
    expect(testOf(result, 'each two').failure).to.include({
      message: 'x',
      hook: '"before each" hook: make it for "two"',
    });
    expect(testOf(result, 'each three').skipReason).to.equal(
      'not run: "before each" hook: make it for "two" failed',
    );
    expect(testOf(result, 'after five').failure!.hook).to.equal('"after each" hook for "five"');
  });

  it('runs generated tests, and only those that are marked so', async () => {
    const generated = await runSpec(`
      for (const n of [1, 2, 3]) it('number ' + n, () => { if (n === 2) throw new Error(); });
    `);
    expect(statesOf(generated)).to.deep.equal([
      'number 1: passed',
      'number 2: failed',
      'number 3: passed',
    ]);
    const only = await runSpec(`
      describe('a', () => { it('no', () => {}); it.only('yes', () => {}); });
      describe.only('b', () => { it('all', () => {}); });
      it('neither', () => {});
    `);
    expect(statesOf(only)).to.deep.equal(['a yes: passed', 'b all: passed']);
  });

  it('reports what a test leaves behind', async () => {
    const result = await runSpec(`${SLEEP}
      async function worker() { await new Promise(() => {}); }
      it('leaves things', async () => {
        setInterval(() => {}, 1000);
        setTimeout(() => {}, 50).unref();
        void worker();
        await sleep(1);
      });
      it('leaves nothing', async () => { await sleep(1); });
    `);
    expect(testOf(result, 'leaves things').leaks).to.deep.equal([
      'a timer is still pending, set at a.spec.ts:5:9',
      'task worker#1 still waits for new Promise(() => {}) at a.spec.ts:3:33',
    ]);
    expect(testOf(result, 'leaves nothing').leaks).to.deep.equal([]);
  });

  it('says of what a package leaves behind that a package does', async () => {
    const root = mochaProject({
      'node_modules/ticking/index.js': 'exports.tick = () => setInterval(() => {}, 1000);',
      'a.spec.ts': `declare const require: any; it('ticks', () => { require('ticking').tick(); });`,
    });
    const result = await trial(runnerOf(root), path.join(root, 'a.spec.ts'));
    expect(testOf(result, 'ticks').leaks).to.deep.equal([
      'a timer is still pending, set in a package (code without yield points)',
    ]);
  });

  it('runs one test alone when asked', async () => {
    const root = mochaProject({
      'a.spec.ts': `
        before(() => { console.log('before'); });
        describe('group (a+b)', () => {
          it('one', () => { console.log('one'); });
          it('one more', () => { console.log('more'); });
        });`,
    });
    const runner = runnerOf(root);
    const result = await trial(runner, path.join(root, 'a.spec.ts'), { only: 'group (a+b) one' });
    expect(statesOf(result)).to.deep.equal(['group (a+b) one: passed']);
    expect(result.output).to.equal('before\none\n');
    const none = await trial(runner, path.join(root, 'a.spec.ts'), { only: 'group' });
    expect(none.tests).to.deep.equal([]);
  });

  it('says where a spec that cannot be evaluated goes wrong', async () => {
    const thrown = await runSpec(
      `
      import { value } from './lib.js';
      describe('x', () => { it(value, () => {}); });
    `,
      {
        'lib.ts': `
export const value = fail();
function fail(): string { throw new RangeError('lib'); }`,
      },
    );
    expect(thrown.tests).to.deep.equal([]);
    expect(thrown.loadError).to.include({
      name: 'RangeError',
      message: 'lib',
      site: 'lib.ts:3:33',
    });
    const missing = await runSpec(`import './nowhere.js';`);
    expect(missing.loadError!.message).to.include(`Cannot find module './nowhere.js'`);
    const endless = await runSpec(`await new Promise(() => {});`, {
      'package.json': '{ "type": "module" }',
    });
    expect(endless.loadError).to.include({ kind: 'deadlock', site: 'a.spec.ts:1:1' });
  });
});
