/**
 * The report, word for word: what a tired engineer reads at night.
 */

import path from 'node:path';
import { expect } from 'chai';
import { formatJson } from '../../cli/report/json.js';
import { exitCode, type Finding, type SweepReport } from '../../cli/report/model.js';
import { formatPretty } from '../../cli/report/pretty.js';
import { formatBar, formatLine } from '../../cli/report/progress.js';
import { noColors } from '../../cli/report/style.js';
import { wrap } from '../../cli/report/words.js';

const root = path.join(__dirname, '../../../test/fixtures/cli/lost-update');

const mocha = 'npx mocha --require detsim/register test/account.test.ts --grep "account keeps"';

const finding: Finding = {
  signature: 'assertion | AssertionError | N == N | account keeps every deposit',
  kind: 'assertion',
  message: '1 == 3',
  test: 'account keeps every deposit',
  file: 'test/account.test.ts',
  site: 'test/account.test.ts:30:12',
  stack: '',
  failed: 2,
  seeds: [42, 58],
  chosen: 42,
  trials: 2000,
  firstTrial: 12,
  rung: 'stubs',
  decisions: 31,
  minimized: {
    schedule: 'stubs;src/account.ts:11:21/function:23.1/Account.deposit.1#1+8ms',
    deviations: 1,
    decisions: 9,
    needs: [],
    unconfirmable: undefined,
    sentences: [
      '`Account.deposit#1` goes on 8 ms late at src/account.ts:11 (`this.store.read()`); before ' +
        'that, the test goes on at src/account.ts:13.',
    ],
    trace: '.detsim/findings/1-account/detsim_minimized_trace.json',
    flip: undefined,
  },
  replay: { identical: true },
  trace: '.detsim/findings/1-account/detsim_failure_trace.json',
  reproduce: `DETSIM_SEED=42 ${mocha}`,
  minimal: `DETSIM_REPLAY="stubs;src/account.ts:11:21/Account.deposit.1#1+8ms" ${mocha}`,
  note: undefined,
};

const report: SweepReport = {
  trials: 2001,
  passed: 1999,
  elapsedMs: 1410,
  order: 'any',
  failOn: 'stubs',
  seed: 0,
  shapes: 1774,
  outcomes: 2,
  files: [
    {
      file: 'test/account.test.ts',
      trials: 2000,
      failed: 2,
      schedules: 1773,
      tests: 3,
      titles: ['account adds up', 'account keeps every deposit', 'account needs no scheduler'],
      sites: { sites: [], tasks: [], pairs: [] },
      notes: [],
      covered: undefined,
      loadError: undefined,
    },
    {
      file: 'test/plain.test.ts',
      trials: 1,
      failed: 0,
      schedules: 1,
      tests: 1,
      titles: ['plain'],
      sites: { sites: [], tasks: [], pairs: [] },
      notes: ['Nothing in it can happen in another order or at another time: one trial is all.'],
      covered: undefined,
      loadError: undefined,
    },
  ],
  findings: [finding],
  hazards: [],
  skipped: [
    { test: 'reads a file', reason: 'needs real I/O: fs.readFile at src/a.ts:5:3', always: true },
  ],
  leaks: [],
  uncontrolled: [
    { site: 'src/a.ts:5:3', call: 'fs.readFile' },
    { site: 'src/b.ts:1:1', call: 'fs.writeFileSync' },
  ],
  cutShort: undefined,
  shard: undefined,
};

const pretty = (one: SweepReport): string => formatPretty(one, { root, colors: noColors });

const PRETTY = `✗ test/account.test.ts  3 tests  2,000 trials  1,773 orders of events  2 failed
✓ test/plain.test.ts    1 test   1 trial       1 order of events
    Nothing in it can happen in another order or at another time: one trial is all.

Skipped
  - "reads a file": needs real I/O: fs.readFile at src/a.ts:5:3

Calls that detsim does not control
  - fs.writeFileSync at src/b.ts:1:1

✗ account keeps every deposit
  assertion failed: 1 == 3
  at test/account.test.ts:30:12
    28 |     await account.deposit(2);
    29 |     await first;
  > 30 |     assert.equal(store.value, 3);
       |            ^
    31 |   });
    32 |

  It fails when:
  - \`Account.deposit#1\` goes on 8 ms late at src/account.ts:11 (\`this.store.read()\`); before that, the
    test goes on at src/account.ts:13.

  It happens when the real thing is slower than the stand-in that your tests use for it.
  Rung stubs; fails with 2 seeds of 2,000, first in trial 12. A fresh process replays it, event for event.
  Traces: .detsim/findings/1-account/detsim_failure_trace.json
          .detsim/findings/1-account/detsim_minimized_trace.json

1999/2001 seeds passed in 1.4 s, 1,774 orders of events, 1,419 trials/s
failing seeds: [42 58]
reproduce with: DETSIM_SEED=42 ${mocha}
minimal:        DETSIM_REPLAY="stubs;src/account.ts:11:21/Account.deposit.1#1+8ms" ${mocha}
`;

describe('report', () => {
  it('of one finding', () => {
    expect(pretty(report)).to.equal(PRETTY);
  });

  it('of several findings numbers them, above and at the end', () => {
    const text = pretty({ ...report, findings: [finding, { ...finding, test: 'another' }] });
    expect(text).to.match(/\n1\) account keeps every deposit\n {3}assertion failed/);
    expect(text).to.match(/\n2\) another\n/);
    expect(text).to.match(/\n\n2\) another\nfailing seeds: \[42 58\]\nreproduce with: [^\n]*\nmin/);
  });

  it('shows the way to the failure, without what belongs to Node', () => {
    const stack = [
      'Error: no',
      `    at Account.deposit (${root}/src/account.ts:11:21)`,
      '    at node:internal/process/task_queues:95:5',
      `    at Context.<anonymous> (${root}/test/account.test.ts:27:5)`,
    ].join('\n');
    expect(pretty({ ...report, findings: [{ ...finding, stack }] })).to.include(
      '\n      at Account.deposit (src/account.ts:11:21)' +
        '\n      at Context.<anonymous> (test/account.test.ts:27:5)\n\n  It fails when:',
    );
  });

  it('of hazards says what would have to be slow, and exits with 0', () => {
    const hazards = [{ ...finding, rung: 'any' } as const];
    const only = { ...report, passed: 1999, findings: [], hazards };
    expect(pretty(only)).to.include(`1 hazard: not a failure, unless this can happen

  account keeps every deposit: 1 == 3
    - \`Account.deposit#1\` goes on 8 ms late at src/account.ts:11 (\`this.store.read()\`); before that,
      the test goes on at src/account.ts:13.
    It happens only if this await can take long in your program. If it never does, it is safe.
    DETSIM_REPLAY=`);
    expect(exitCode(only)).to.equal(0);
  });

  it('of an unhandled rejection says why mocha alone does not show it', () => {
    const rejection = { ...finding, kind: 'unhandledRejection', rung: 'native' } as const;
    const text = pretty({ ...report, findings: [rejection] }).replaceAll(/\s+/g, ' ');
    expect(text).to.include('unhandled rejection: 1 == 3');
    expect(text).to.include(
      'no unusual timing is needed. A rejection that nobody handles ends a Node process, though ' +
        'mocha passes over it.',
    );
    expect(pretty(report)).to.not.include('nobody handles');
  });

  it('of a divergence names the first difference, and exits with 3', () => {
    const divergence = { step: 17, site: 'src/a.ts:1:2', expected: 'await #1 = 0', got: 'resume' };
    const replay = { identical: false, divergence };
    const diverged: Finding = { ...finding, kind: 'divergence', replay, minimized: undefined };
    expect(pretty({ ...report, findings: [diverged] })).to.include(
      `  Not deterministic: a replay went another way at step 17.
    where:    src/a.ts:1:2
    expected: await #1 = 0
    got:      resume
`,
    );
    expect(exitCode({ ...report, findings: [diverged] })).to.equal(3);
  });

  it('prints ten seeds at most; the JSON has all', () => {
    const seeds = Array.from({ length: 40 }, (_, i) => i);
    const many = { ...report, findings: [{ ...finding, seeds }] };
    expect(pretty(many)).to.include('failing seeds: [0 1 2 3 4 5 6 7 8 9 and 30 more]');
    const json = JSON.parse(formatJson(many)) as { findings: { seeds: string[] }[] };
    expect(json.findings[0].seeds).to.deep.equal(seeds.map(String));
  });

  it('of a file that does not load exits with 2', () => {
    const [first, second] = report.files;
    const loadError = 'SyntaxError: Unexpected token';
    const files = [first, { ...second, loadError, tests: 0, notes: [] }];
    const broken = { ...report, files, findings: [] };
    expect(pretty(broken)).to.include('test/plain.test.ts does not load:\n    SyntaxError: Unex');
    expect(exitCode(broken)).to.equal(2);
  });

  it('as JSON has the documented fields', () => {
    const json = JSON.parse(formatJson(report)) as Record<string, unknown>;
    expect(json).to.include({ version: 1, trials: 2001, passed: 1999, elapsedMs: 1410 });
    expect(json).to.include({ trialsPerSecond: 1419, order: 'any', shapes: 1774, outcomes: 2 });
    const [one] = json['findings'] as Record<string, unknown>[];
    expect(one).to.include({
      signature: finding.signature,
      kind: 'assertion',
      message: '1 == 3',
      test: finding.test,
      site: finding.site,
      firstTrial: 12,
      rung: 'stubs',
      decisions: 31,
      minimized: 9,
      deviations: 1,
      trace: finding.trace,
      reproduce: finding.reproduce,
    });
    expect(one['replay']).to.deep.equal({ identical: true });
  });

  it('shows progress', () => {
    const progress = {
      elapsedMs: 2000,
      trialsDone: 1000,
      trialsWanted: 4000,
      shapes: 800,
      failures: 1,
    };
    const numbers = '1,000/4,000 trials · 500/s · 800 orders of events · 1 failure · 6.0 s left';
    expect(formatLine(progress)).to.equal(`2.0 s: ${numbers}`);
    expect(formatBar(progress, noColors)).to.equal(`██████░░░░░░░░░░░░░░░░░░ ${numbers}`);
  });

  it('breaks long sentences between words', () => {
    expect(wrap('  - one two three four', 11, '    ')).to.deep.equal([
      '  - one two',
      '    three',
      '    four',
    ]);
  });
});
