/**
 * What the trace commands print of recorded traces: of a lost update in this format and in an older
 * minor version of it, and of a pool's failing run and its minimized one.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createColors } from 'picocolors';
import { noColors } from '../../cli/report/style.js';
import { formatDiff } from '../../cli/trace/diff.js';
import { exportChrome } from '../../cli/trace/export.js';
import { formatStats } from '../../cli/trace/stats.js';
import { formatView, type ViewOptions } from '../../cli/trace/view.js';
import { TraceWords } from '../../cli/trace/words.js';
import { align } from '../../runtime/trace/align.js';
import type { Trace } from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';

const fixtures = path.join(__dirname, '..', '..', '..', 'test', 'fixtures', 'trace');

function read(name: string): Trace {
  return parseTrace(fs.readFileSync(path.join(fixtures, `${name}.json`), 'utf8'), name);
}

const poolFailure = new TraceWords(read('1.1-pool-failure'), noColors);
const poolMinimized = new TraceWords(read('1.1-pool-minimized'), noColors);
const minimized = new TraceWords(read('1.1-minimized'), noColors);

function view(options: ViewOptions = {}, words = minimized): string[] {
  return formatView(words, options).trimEnd().split('\n');
}

describe('trace view', () => {
  it('says what each step is, what it came to, what it waits for and what woke it', () => {
    const text = view().join('\n');
    expect(text).to.match(
      /^account keeps every deposit test\/account\.test\.ts\nfails: 1 == 3 at /,
    );
    expect(text).to.match(/#4 +0 +Account\.deposit#1 .*! will go on 8 ms late after this\.store/);
    expect(text).to.match(
      /#24 +8 ms +Account\.deposit#1 +src\/account\.ts:11 +goes on after this\.store\.read\(\) = 0 +→ waits for this\.audit\(amount\); 8 ms late/,
    );
    expect(text).to.match(/#31 +8 ms +the test .* goes on after first +→ ends; woken by #27$/);
  });

  it('leaves out what plain Node would decide as well', () => {
    expect(view().filter((line) => line.includes('as in plain Node'))).to.deep.equal([]);
    expect(view({ around: 13 }).join('\n')).to.match(/>#13 .*await as in plain Node/);
  });

  it('shows the last events, those around a step, and those of a task', () => {
    const last = view({ limit: 2 });
    expect(last).to.have.length(8);
    expect(last[4]).to.equal('… 18 earlier events left out (--limit=0 shows all)');
    const near = view({ around: 15, limit: 3 });
    expect(near.slice(-3).map((line) => line.slice(0, 5).trim())).to.deep.equal([
      '#12',
      '>#15',
      '#16',
    ]);
    for (const name of ['Account.deposit#1', 'Account.deposit']) {
      expect(
        view({ task: name, limit: 0 }).filter((l) => / Account\.deposit#1 /.test(l)),
      ).to.have.length(8);
    }
    expect(() => view({ task: 'nobody' })).to.throw(/Its tasks are the test, Account\.deposit#1/);
    expect(() => view({ around: 99 })).to.throw(/beyond the end: the trace has 31 steps/);
  });

  it('reads a trace of version 1.0, with what that knows', () => {
    const old = new TraceWords(read('1.0-minimized'), noColors);
    const text = view({}, old).join('\n');
    expect(text).to.match(/#24 +8 ms +Account\.deposit#1 .* goes on after this\.store\.read\(\)$/m);
  });

  it('has a colour for each task, where colours are wanted', () => {
    const coloured = formatView(new TraceWords(minimized.trace, createColors(true)), {});
    expect(coloured).to.include('\u001b[38;5;39mthe test').and.include('\u001b[38;5;203mAccount');
    expect(view().join('')).not.to.include('\u001b');
  });
});

describe('trace diff', () => {
  it('marks each deviation of the failing run as kept or dropped', () => {
    const text = formatDiff(poolFailure, poolMinimized, {});
    expect(text).to.include('the minimizer kept 1 of 6 deviations (16.7%)');
    expect(text).to.match(
      /^ {2}keep {2}#29 WorkerPool\._startWaiting#1 will go on 10 ms .*, now 8 ms$/m,
    );
    expect(text.match(/^ {2}drop /gm)).to.have.length(5);
    expect(text).to.match(
      /^76 steps in both runs, 14 of them at another place, 0 only in the first/m,
    );
  });

  it('finds no difference between a trace and itself', () => {
    const text = formatDiff(minimized, minimized, {});
    expect(text).to.include('19 steps in both runs, all in the same order, 0 only in the first');
    expect(text).to.include('= 19 steps alike');
  });

  it('matches by identity: what has moved is not taken for what looks alike', () => {
    const { trace } = minimized;
    // The two reads of the balance change places; both have the same site.
    const events = [...trace.events];
    const [early, late] = [14, 23];
    [events[early], events[late]] = [events[late], events[early]];
    const { toSecond, inOrder } = align(trace, { ...trace, events });
    expect([toSecond[early], toSecond[late]]).to.deep.equal([late, early]);
    expect(inOrder.filter((is) => !is)).to.have.length.within(1, 12);
    expect(align(trace, trace).inOrder.every((is) => is)).to.equal(true);
  });
});

describe('trace stats', () => {
  it('counts steps of tasks, reasons for waiting and jumps in time', () => {
    const text = formatStats(minimized);
    expect(text).to.match(/^ {2}the test +11 steps +#1 to #31 /m);
    expect(text).to.match(/^ {2}2× {2}waits for this\.store\.read\(\) {2}src\/account\.ts:11$/m);
    expect(text).to.match(
      /^ {2}5 ms before call:27#1 the callback that the test gave to setTimeout runs {2}#9$/m,
    );
    expect(text).to.match(/^ {2}1 of kind await, 8 ms in all$/m);
  });
});

describe('trace export', () => {
  it('is trace-event JSON: lanes with names, waits with a length, arrows in pairs', () => {
    const { traceEvents } = JSON.parse(exportChrome(minimized)) as {
      traceEvents: {
        ph: string;
        tid: number;
        ts: number;
        dur: number;
        id: number;
        name: string;
        cat: string;
      }[];
    };
    const of = (ph: string) => traceEvents.filter((event) => event.ph === ph);
    expect(of('M').filter(({ name }) => name === 'thread_name')).to.have.length(3);
    const wait = of('X').find(({ cat, dur }) => cat === 'wait' && dur === 8000);
    expect(wait).to.include({ name: 'waits for this.store.read()', ts: 0 });
    expect(of('s').map(({ id }) => id)).to.deep.equal(of('f').map(({ id }) => id));
    expect(of('s').length).to.be.above(0);
    expect(of('i')).to.have.length(1);
  });
});
