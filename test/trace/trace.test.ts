/** Trace files: text and back, versions, and where two traces part. */

import { expect } from 'chai';
import { firstDifference } from '../../runtime/trace/difference.js';
import {
  formatTrace,
  TRACE_MINOR,
  TRACE_VERSION,
  type Trace,
  type TraceEvent,
} from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';

function traceWith(events: TraceEvent[], state = 'failed'): Trace {
  return {
    format: 'detsim-trace',
    version: TRACE_VERSION,
    minor: TRACE_MINOR,
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
    const text = formatTrace(traceWith([]));
    const other = text.replace('"version": 1', '"version": 9');
    expect(() => parseTrace(other, 'x.json')).to.throw(
      /format version 9\.2.*reads version 1\.0 to/,
    );
    const newer = text.replace(`"minor": ${TRACE_MINOR}`, `"minor": ${TRACE_MINOR + 1}`);
    expect(() => parseTrace(newer, 'x.json')).to.throw(/Use the detsim that wrote it/);
  });

  it('says what is wrong with a damaged trace', () => {
    const damage = (from: string, to: string) => () =>
      parseTrace(formatTrace(traceWith([decision(1), resume])).replace(from, to), 'x.json');
    expect(damage('"at":0', '"at":"now"')).to.throw(SyntaxError, /damaged: "events\.0\.at": /);
    expect(damage('"847291"', '847291')).to.throw(/damaged: "seed": /);
    expect(damage('"task":0', '"task":7')).to.throw(/damaged: events\.0 leads nowhere/);
    expect(damage('"resume"', '"sleep"')).to.throw(/damaged: "events\.1\.type": /);
  });

  it('still reads version 1.0, and finds the same events in it', () => {
    const { minor: _, ...old } = traceWith([decision(5e6), resume]);
    const { frames: _frames, ...rest } = old;
    const read = parseTrace(formatTrace(rest), 'old.json');
    expect(read).to.deep.equal(rest);
    const now = { ...traceWith([decision(5e6), { ...resume, frame: 0, value: '1' }]) };
    expect(firstDifference(read, now)).to.equal(undefined);
  });

  it('names the first step that differs', () => {
    const expected = traceWith([decision(0), resume]);
    expect(firstDifference(expected, traceWith([decision(0), resume]))).to.equal(undefined);
    expect(firstDifference(expected, traceWith([decision(7), resume]))).to.deep.equal({
      step: 0,
      expected: 'await #1 = 0 at src/a.ts:3:5 (step()) in job.1, 0 ns',
      got: 'await #1 = 7 at src/a.ts:3:5 (step()) in job.1, 0 ns',
    });
    expect(firstDifference(expected, traceWith([decision(0)]))).to.include({
      step: 1,
      got: 'nothing more',
    });
    const passed = firstDifference(expected, traceWith([decision(0), resume], 'passed'));
    expect(passed?.expected).to.equal('the end: {"state":"failed"}');
  });
});
