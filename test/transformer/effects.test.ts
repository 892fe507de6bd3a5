/** What segments read and write, and whether that is all. */

import { expect } from 'chai';
import ts from 'typescript';
import { analyze } from '../../transformer/analyzer/index.js';

/** The effects of the segments of a source, by the text at which they begin. */
function effectsIn(source: string): Record<string, string> {
  const file = ts.createSourceFile('/a.ts', source, ts.ScriptTarget.ES2022, false);
  const found: Record<string, string> = {};
  for (const { kind, fn, text, effects } of analyze(ts, file, false).sites) {
    if (effects === undefined) continue;
    const { reads, writes, closed, ends } = effects;
    const names = (list: readonly string[]): string => list.join(' ').replace(/@\d+/g, '');
    const flags = `${closed ? 'closed' : 'open'}${ends ? ' ends' : ''}`;
    found[kind === 'function' ? fn : text] = `r(${names(reads)}) w(${names(writes)}) ${flags}`;
  }
  return found;
}

describe('effects of segments', () => {
  it('are what a segment reads and writes, and nothing of the others', () => {
    const found = effectsIn(`
      let balance = 0;
      async function deposit(n: number) {
        const before = balance;
        await pause();
        balance = before + n;
      }
      async function pause() {}`);
    expect(found).to.include({
      deposit: 'r(balance) w() closed',
      'pause()': 'r() w(balance) closed ends',
    });
  });

  it('go by the property, whatever object it is of', () => {
    const found = effectsIn(`
      class Account {
        async add(n: number) { const { total } = this; await null; this.total = total + n; }
      }`);
    expect(found['Account.add']).to.equal('r(.total) w() closed');
    expect(found.null).to.equal('r(.total) w(.total) closed ends'.replace('r(.total)', 'r()'));
  });

  it('follow every way that control can take', () => {
    const found = effectsIn(`
      let a = 0, b = 0, c = 0, d = 0;
      async function f(x: boolean) {
        try {
          if (x) await 1;
          a++;
        } catch { b = 1; } finally { c = 1; }
        while (c < 3) { await 2; if (d) break; c++; }
        d = 2;
      }`);
    expect(found.f).to.equal('r(a c) w(a b c d) closed ends');
    expect(found['1']).to.equal('r(a c) w(a b c d) closed ends');
    expect(found['2']).to.equal('r(c d) w(c d) closed ends');
  });

  it('take in what functions of the file do that are called, and callbacks', () => {
    const found = effectsIn(`
      const log: string[] = [];
      let n = 0;
      const note = (text: string) => { log.push(text); n++; };
      async function f() { await 1; note('x'); [1]; }
      async function g() { await 2; setTimeout(() => { n = 0; }, 5); }`);
    expect(found['1']).to.equal('r(log [] n) w(log [] n) closed ends');
    expect(found['2']).to.equal('r() w((timers)) closed ends');
    expect(found.setTimeout).to.equal('r() w(n) closed');
  });

  it('are open where something is called that is not known', () => {
    const found = effectsIn(`
      import { x } from './x';
      let f = () => {};
      async function a() { await 1; x(); }
      async function b(cb: () => void) { await 2; cb(); }
      async function c(o: { m(): void }) { await 3; o.m(); }
      async function d() { await 4; f(); }
      async function e(o: Record<string, number>, k: string) { await 5; o[k] = 1; }`);
    for (const at of ['1', '2', '3', '4', '5']) expect(found[at]).to.match(/open ends$/);
  });

  it('leave operations of task primitives to the primitives', () => {
    const found = effectsIn(`
      import { Mutex, sleep } from 'detsim';
      const mutex = new Mutex();
      let n = 0;
      async function f() { await mutex.lock(); n++; mutex.unlock(); await sleep(5); }`);
    expect(found['mutex.lock()']).to.equal('r(n) w(n) closed');
  });

  it('know a variable that is exported by its exported name, as importers do', () => {
    expect(effectsIn('export let n = 0; async function f() { n++; }').f).to.equal(
      'r(export n) w(export n) closed ends',
    );
    expect(effectsIn("import { n } from './n'; async function f() { return n; }").f).to.equal(
      'r(export n) w() closed ends',
    );
  });
});
