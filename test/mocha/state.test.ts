/**
 * Trials do not see each other: modules, globals, prototypes, environment and the rest of the
 * process are as they were, and what a program writes is kept in the result.
 */

import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { mochaProject, runnerOf, runSpec, statesOf, testOf, trial } from './project.js';

/** Runs the spec of the files three times in one process; every trial must pass. */
async function passesAgain(files: Record<string, string>, packages = {}): Promise<void> {
  const root = mochaProject(files, packages);
  const runner = runnerOf(root);
  const digests = new Set<number>();
  for (let i = 0; i < 3; i++) {
    const result = await trial(runner, path.join(root, 'a.spec.ts'));
    for (const test of result.tests) {
      expect(test.state, `${test.title}: ${test.failure?.message}`).to.equal('passed');
    }
    expect(result.loadError).to.equal(undefined);
    digests.add(result.digest);
  }
  expect(digests.size).to.equal(1);
}

describe('mocha: state between trials', function () {
  this.timeout(20_000);

  it('gives every trial fresh modules', async () => {
    await passesAgain({
      'counter.ts': 'let n = 0; export const next = () => ++n;',
      'a.spec.ts': `
        import { expect } from 'chai';
        import { next } from './counter.js';
        it('counts from one', () => { expect(next()).to.equal(1); });`,
    });
  });

  it('puts the process back', async () => {
    const cwd = process.cwd();
    const before = { env: { ...process.env }, argv: [...process.argv], title: process.title };
    const listeners = process.listenerCount('SIGUSR2') + process.listenerCount('exit');
    await passesAgain({
      'a.spec.ts': `
        import { expect } from 'chai';
        import fs from 'node:fs';
        import os from 'node:os';
        import timers from 'node:timers';
        declare const process: any, performance: any;
        it('finds it clean', () => {
          expect(process.env.DETSIM_TEST_ADDED).to.equal(undefined);
          expect(process.env.HOME).to.not.equal('/changed');
          expect(process.exitCode).to.equal(undefined);
          expect((globalThis as any).added).to.equal(undefined);
          expect('own' in Array.prototype).to.equal(false);
          expect([1].map(String)).to.deep.equal(['1']);
          expect(process.argv).to.not.include('--added');
          expect(process.listenerCount('SIGUSR2')).to.equal(0);
          expect(typeof console.log).to.equal('function');
          expect(os.platform()).to.not.equal('stubbed');
          expect(Date.now).to.not.equal(Math.max);
          expect(timers.setTimeout).to.equal(setTimeout);
          expect(performance.markResourceTiming).to.be.a('function');
          expect(process.emit('uncaughtException' as any)).to.equal(true);
        });
        it('leaves a mess', () => {
          process.env.DETSIM_TEST_ADDED = 'x';
          process.env.HOME = '/changed';
          delete process.env.PATH;
          process.chdir('/');
          process.exitCode = 9;
          process.title = 'mess';
          process.argv.push('--added');
          process.on('SIGUSR2', () => {});
          process.on('exit', () => {});
          (globalThis as any).added = 1;
          (globalThis as any).performance = {};
          delete (globalThis as any).structuredClone;
          (Array.prototype as any).own = 1;
          (Array.prototype as any).map = () => ['wrong'];
          Promise.resolve = (() => 1) as any;
          Date.now = Math.max as any;
          (globalThis as any).setTimeout = () => {};
          (timers as any).setTimeout = () => {};
          (fs as any).readFileSync = () => 'stubbed';
          (os as any).platform = () => 'stubbed';
          (console as any).log = undefined;
          process.stdout.write = (() => true) as any;
        });
      `.replace(/.*uncaughtException.*\n/, ''),
    });
    expect(process.cwd()).to.equal(cwd);
    expect({ ...process.env }).to.deep.equal(before.env);
    expect(process.argv).to.deep.equal(before.argv);
    expect(process.title).to.equal(before.title);
    expect(process.exitCode).to.equal(undefined);
    expect(typeof structuredClone).to.equal('function');
    expect(process.listenerCount('SIGUSR2') + process.listenerCount('exit')).to.equal(listeners);
  });

  it('knows every global that stays an accessor when something is assigned to it', () => {
    // In a process of its own, since that is what it breaks. Storage prints a warning when it is
    // read.
    const look = `
      const found = [];
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const { get, set } = Object.getOwnPropertyDescriptor(globalThis, name);
        if (!get || !set || name.endsWith('Storage')) continue;
        const value = globalThis[name];
        globalThis[name] = 'assigned';
        if (Object.getOwnPropertyDescriptor(globalThis, name).get === get) found.push(name);
        globalThis[name] = value;
      }
      console.log(JSON.stringify(found));`;
    const found = JSON.parse(
      execFileSync(process.execPath, ['--no-warnings', '-e', look], { encoding: 'utf8' }),
    );
    expect(found).to.have.members(['process', 'Buffer', 'performance']);
  });

  it('keeps several runners of one process apart', async () => {
    const root = mochaProject({
      'a.spec.ts': `
        import { expect } from 'chai';
        declare const process: any;
        it('finds it clean', () => {
          expect(process.env.DETSIM_TEST_ADDED).to.equal(undefined);
          process.env.DETSIM_TEST_ADDED = 'x';
        });`,
    });
    const runners = [runnerOf(root), runnerOf(root, { isolate: 'all' })];
    for (let i = 0; i < 6; i++) {
      const result = await trial(runners[i % 2], path.join(root, 'a.spec.ts'));
      expect(statesOf(result)).to.deep.equal(['finds it clean: passed']);
    }
  });

  it('leaves in place what a package defines when it is loaded', async () => {
    await passesAgain({
      'node_modules/polyfill/package.json': '{ "name": "polyfill" }',
      'node_modules/polyfill/index.js': `
        Array.prototype.lastOne = function () { return this[this.length - 1]; };
        Object.defineProperty(Promise, 'hidden', { value: 1, configurable: true });
        globalThis.polyfilled = 'yes';
        process.env.DETSIM_TEST_POLYFILL = 'yes';
        process.on('SIGUSR2', () => {});`,
      'a.spec.ts': `
        import { expect } from 'chai';
        require('polyfill');
        declare const require: any;
        it('has it', () => {
          expect(([1, 2] as any).lastOne()).to.equal(2);
          expect((Promise as any).hidden).to.equal(1);
          expect((globalThis as any).polyfilled).to.equal('yes');
          expect(process.env.DETSIM_TEST_POLYFILL).to.equal('yes');
          expect(process.listenerCount('SIGUSR2')).to.equal(1);
        });
        it('spoils it', () => {
          delete (globalThis as any).polyfilled;
          delete (Array.prototype as any).lastOne;
        });
        declare const process: any;`,
    });
    delete process.env.DETSIM_TEST_POLYFILL;
    process.removeAllListeners('SIGUSR2');
  });

  it('survives a broken Promise, and timers replaced by a stub', async () => {
    await passesAgain(
      {
        'a.spec.ts': `
        import sinon from 'sinon';
        import { expect } from 'chai';
        it('fake timers', async () => {
          const clock = sinon.useFakeTimers();
          let fired = false;
          setTimeout(() => { fired = true; }, 60_000);
          await clock.tickAsync(60_000);
          expect(fired).to.equal(true);
        });
        it('broken promises', async () => {
          Promise.resolve = Promise.reject = () => { throw new Error('broken'); };
          await null;
        });
        it('broken globals', () => {
          const names = ['setTimeout', 'setImmediate', 'Date', 'process', 'Buffer', 'console'];
          for (const name of names) (globalThis as any)[name] = undefined;
        });
        it('an own mess of symbols', () => { Symbol.iterator; (Symbol as any).iterator2 = 1; });`,
        'sinon.d.ts': `declare module 'sinon';`,
      },
      { sinon: 'sinon' },
    );
  });

  it('says that mocha cannot go on, and goes on with the next trial', async () => {
    const root = mochaProject({
      'a.spec.ts': `
        it('takes away Map', () => { (globalThis as any).Map = undefined; });
        it('is never reached', () => {});`,
    });
    const runner = runnerOf(root);
    for (let i = 0; i < 2; i++) {
      const result = await trial(runner, path.join(root, 'a.spec.ts'));
      expect(result.loadError!.message).to.match(/^The test runner could not go on/);
    }
  });

  it('keeps what the program writes, up to a bound', async () => {
    const result = await runSpec(`
      console.log('loading');
      it('writes', (done) => {
        console.error('error %d', 1);
        process.stdout.write('out', done);
      });
      it('writes much', () => { for (let i = 0; i < 100; i++) console.log('x'.repeat(10_000)); });
    `);
    expect(statesOf(result)).to.deep.equal(['writes: passed', 'writes much: passed']);
    expect(result.output).to.match(/^loading\nerror 1\noutx+/);
    expect(result.output.length).to.be.lessThan(200_000);
  });

  it('describes whatever is thrown', async () => {
    const result = await runSpec(`
      it('a string', () => { throw 'text'; });
      it('undefined', async () => { throw undefined; });
      it('an object', () => { throw { code: 42 }; });
      it('a frozen error', async () => { await null; throw Object.freeze(new Error('frozen')); });
      it('a hostile object', () => { throw { get message() { throw new Error('inner'); } }; });
      it('a hostile error', () => {
        const e = new Error('outer');
        for (const key of ['message', 'name', 'stack', 'actual', 'code']) {
          Object.defineProperty(e, key, { get() { throw new Error('inner'); } });
        }
        throw e;
      });
      it('a cycle', () => {
        const e: any = new Error('cycle');
        throw Object.assign(e, { cause: e, actual: e, expected: 1 });
      });
      it('much', () => {
        throw Object.assign(new Error('m'.repeat(1e6)), { actual: 'a'.repeat(1e6) });
      });
      it('in a timer', (_done) => { setTimeout(() => { throw Object.freeze({ x: 1 }); }, 1); });
      it('a proxy', () => {
        const trap = () => { throw new Error('trap'); };
        throw new Proxy({}, { get: trap, has: trap });
      });
      it('goes on', () => {});
    `);
    const titles = result.tests.map(({ title, state }) => `${title}: ${state}`);
    expect(titles.pop()).to.equal('goes on: passed');
    for (const title of titles) expect(title).to.match(/: failed$/);
    expect(testOf(result, 'a string').failure!.message).to.include('text');
    expect(testOf(result, 'a frozen error').failure!.message).to.equal('frozen');
    expect(testOf(result, 'much').failure!.message.length).to.be.lessThan(10_000);
    expect(String(testOf(result, 'much').failure!.actual).length).to.be.lessThan(10_000);
    expect(testOf(result, 'a cycle').failure!.message).to.equal('cycle');
    const { error: _, ...plain } = testOf(result, 'a hostile error').failure!;
    expect(() => structuredClone(plain)).to.not.throw();
  });

  it('leaves no connection of fetch behind where a test replaces a global', async () => {
    await passesAgain({
      'node_modules/lightweight/package.json': '{ "name": "lightweight" }',
      'node_modules/lightweight/index.js': 'exports.Request = class extends Request {};',
      'a.spec.ts': `
        import { expect } from 'chai';
        import http from 'node:http';
        const { Request } = require('lightweight');
        declare const fetch: any, require: any;
        it('asks a server of its own', async () => {
          Object.defineProperty(globalThis, 'Request', { value: Request });
          const server: any = http.createServer((_, answer: any) => answer.end('yes'));
          await new Promise<void>((listening) => server.listen(8080, listening));
          expect(await (await fetch('http://localhost:8080/')).text()).to.equal('yes');
        });`,
    });
  });

  it('takes no time for a module that a package imports when it is first needed', async () => {
    await passesAgain({
      'node_modules/lazy/package.json': '{ "name": "lazy" }',
      'node_modules/lazy/index.js': 'exports.answer = async () => (await import("late")).answer;',
      'node_modules/late/package.json': '{ "name": "late", "type": "module" }',
      'node_modules/late/index.js': 'export const answer = 42;',
      'a.spec.ts': `
        import { expect } from 'chai';
        import fs from 'node:fs/promises';
        declare const require: any, __filename: string;
        const { answer } = require('lazy');
        it('finds it', async () => {
          const own = fs.readFile(__filename, 'utf8');
          expect(await answer()).to.equal(42);
          expect(await own).to.include('finds it');
        });`,
    });
  });
});
