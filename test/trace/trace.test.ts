/** Trace files: text and back, versions, and where two traces part. */

import { expect } from 'chai';
import {
  firstDifference,
  formatTrace,
  parseTrace,
  TRACE_VERSION,
  type Trace,
  type TraceEvent,
} from '../../runtime/trace/trace.js';

function traceWith(events: TraceEvent[], state = 'failed'): Trace {
  return {
    format: 'detsim-trace',
    version: TRACE_VERSION,
    file: 'test/a.test.ts',
    test: 'a test',
    seed: '847291',
    outcome: { state },
    sites: [{ position: 'src/a.ts:3:5', kind: 'await', fn: 'job', text: 'step()' }],
    tasks: [{ scope: 'a test', path: 'job.1' }],
    events,
  };
}

const resume: TraceEvent = { type: 'resume', at: 5e6, task: 0, site: 0 };

function decision(pick: number): TraceEvent {
  return { type: 'decision', at: 0, kind: 'await', rung: 'any', task: 0, site: 0, n: 1, pick };
}

describe('trace', () => {
  it('reads what it writes, one event a line', () => {
    for (const events of [[], [decision(0)], [decision(5e6), resume]]) {
      const trace = traceWith(events);
      const text = formatTrace(trace);
      expect(parseTrace(text, 'x.json')).to.deep.equal(trace);
      expect(text.split('\n').filter((line) => line.includes('"at"'))).to.have.length(
        events.length,
      );
    }
  });

  it('refuses what is no trace, or one of another version, and says what to do', () => {
    expect(() => parseTrace('{', 'x.json')).to.throw(SyntaxError, /x\.json is not a trace: /);
    expect(() => parseTrace('{}', 'x.json')).to.throw(/not a trace of detsim\. Give the path of/);
    const other = formatTrace(traceWith([])).replace('"version": 1', '"version": 9');
    expect(() => parseTrace(other, 'x.json')).to.throw(/format version 9.*reads version 1/);
  });

  it('names the first step that differs', () => {
    const expected = traceWith([decision(0), resume]);
    expect(firstDifference(expected, traceWith([decision(0), resume]))).to.equal(undefined);
    expect(firstDifference(expected, traceWith([decision(7), resume]))).to.deep.equal({
      step: 0,
      expected: 'await #1 = 0 at src/a.ts:3:5 (step()) in job.1, t=0ns',
      got: 'await #1 = 7 at src/a.ts:3:5 (step()) in job.1, t=0ns',
    });
    expect(firstDifference(expected, traceWith([decision(0)]))).to.include({
      step: 1,
      got: 'nothing more',
    });
    const passed = firstDifference(expected, traceWith([decision(0), resume], 'passed'));
    expect(passed?.expected).to.equal('the end: {"state":"failed"}');
  });
});
