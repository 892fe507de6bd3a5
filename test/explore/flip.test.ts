/** The flip: which two steps decide, found between a run that passes and one that fails. */

import { expect } from 'chai';
import { findFlip, type RecordRun } from '../../runtime/explore/flip.js';
import type { NamedDeviation } from '../../runtime/explore/schedule.js';
import { Kind } from '../../runtime/kernel/choice.js';
import type { Trace, TraceEvent, TraceStep } from '../../runtime/trace/format.js';

const MS = 1e6;

const late: NamedDeviation = {
  kind: Kind.Await,
  scope: '',
  site: 'src/a.ts:3:5',
  task: 'slow.1',
  occurrence: 1,
  value: 8 * MS,
};

/** A task that goes on after its delay, and others that go on at 2, 5 and 7 ms. */
function runAt(delay: number, ends: Trace['outcome']['state']): Trace {
  const step = (task: number, site: number, at: number): TraceStep => ({
    ...{ type: 'resume', at, task, site },
  });
  const others = [step(1, 2, 2 * MS), step(1, 1, 5 * MS), step(2, 0, 5 * MS), step(1, 2, 7 * MS)];
  const before = others.filter(({ at }) => at < delay);
  const events: TraceEvent[] = [
    { type: 'decision', at: 0, kind: 'await', rung: 'any', task: 0, site: 0, n: 1, pick: delay },
    ...before,
    step(0, 0, delay),
    ...others.slice(before.length),
  ];
  const site = (position: string, fn: string, text: string) => ({
    position,
    kind: 'await',
    fn,
    text,
  });
  return {
    ...{ format: 'detsim-trace', version: 1, minor: 1, file: 'a.test.ts', test: 't', seed: '0' },
    outcome: { state: ends },
    sites: [
      site('src/a.ts:3:5', 'work', 'read()'),
      site('src/a.ts:9:5', 'other', 'write()'),
      site('src/b.ts:1:1', 'far', 'sleep()'),
    ],
    tasks: ['slow.1', 'quick.1', 'quick.2'].map((path) => ({ scope: 't', path })),
    events,
  };
}

/** Fails when the delay is longer than a threshold. */
function failsAbove(threshold: number, asked: number[] = []): RecordRun {
  return ([deviation]) => {
    const { value } = deviation;
    asked.push(value);
    const ends = value > threshold ? 'fails' : 'passes';
    return Promise.resolve({ ends, trace: runAt(value, ends === 'fails' ? 'failed' : 'passed') });
  };
}

describe('flip', () => {
  it('names the step that the late one must not come after: of its place, if there is one', async () => {
    const flip = (await findFlip([late], failsAbove(5 * MS)))!;
    expect(flip.first).to.deep.equal({
      task: 'quick#2',
      does: 'goes on after read()',
      site: 'src/a.ts:3:5',
    });
    expect(flip.second).to.include({ task: 'slow#1', does: 'goes on after read()' });
    expect(flip.passing.outcome.state).to.equal('passed');
  });

  it('is next to the failing run: nothing else has changed places', async () => {
    const flip = (await findFlip([late], failsAbove(2 * MS)))!;
    expect(flip.first).to.include({ task: 'quick#1', site: 'src/b.ts:1:1' });
    expect(flip.passing.events.findIndex((e) => e.type === 'resume' && e.task === 0)).to.equal(1);
  });

  it('says nothing where the test does not pass without the deviation', async () => {
    expect(await findFlip([late], failsAbove(-1))).to.equal(undefined);
    const otherwise: RecordRun = async (deviations) => {
      const { trace, ends } = await failsAbove(5 * MS)(deviations);
      return { trace, ends: ends === 'passes' ? 'otherwise' : ends };
    };
    expect(await findFlip([late], otherwise)).to.equal(undefined);
  });

  it('says nothing where no step has changed places', async () => {
    // The outcome depends on the time alone.
    expect(await findFlip([late], failsAbove(3 * MS))).to.equal(undefined);
    expect(await findFlip([{ ...late, kind: Kind.Random }], failsAbove(5 * MS))).to.equal(
      undefined,
    );
  });

  it('takes a bounded number of runs', async () => {
    const asked: number[] = [];
    await findFlip(
      Array.from({ length: 9 }, () => late),
      failsAbove(5 * MS, asked),
    );
    expect(asked.length).to.be.within(2, 104);
  });
});
