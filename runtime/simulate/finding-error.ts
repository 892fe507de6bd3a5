/**
 * The error that `simulate` throws: the failure of the body, and how to have it again.
 *
 * It looks like the error that the body threw, so that a test runner shows its place, its diff and
 * its message; what detsim adds comes after that.
 */

import type { Origin } from '../explore/origin.js';
import { RUNG_MEANING } from '../explore/rung-meaning.js';
import type { RungName } from '../kernel/rung.js';
import type { Failure } from '../mocha/types.js';
import type { Flip } from '../explore/flip.js';

/** What is known of a finding. */
export interface Finding {
  readonly failure: Failure;
  /** Trials until then, this one included; 0 for a replay. */
  readonly trial: number;
  readonly origin: Origin;
  /** The minimized schedule as text; undefined when it was not minimized. */
  readonly schedule: string | undefined;
  readonly rung: RungName;
  /** What the deviations do, one sentence each. */
  readonly sentences: readonly string[];
  readonly flip: Flip | undefined;
  /** Whether a second run of the schedule went the same way. */
  readonly identical: boolean;
  /** The command that runs it again. */
  readonly replay: string;
}

const WIDTH = 100;

/** A schedule was found under which the body fails. The `cause` is what the body threw. */
export class FindingError extends Error {
  static {
    FindingError.prototype.name = 'FindingError';
  }
  /** The minimized schedule as text, for `DETSIM_SIMULATE`; undefined when it was not minimized. */
  readonly schedule: string | undefined;
  /** The highest rung among the deviations that are left. */
  readonly rung: RungName;
  /** What the deviations do, one sentence each. */
  readonly sentences: readonly string[];
  /** The command that runs the schedule again. */
  readonly replay: string;

  /** @internal */
  constructor(finding: Finding) {
    const { failure } = finding;
    super(messageOf(finding), { cause: failure.error });
    ({
      schedule: this.schedule,
      rung: this.rung,
      sentences: this.sentences,
      replay: this.replay,
    } = finding);
    const frames = failure.stack.split('\n').filter((line) => /^\s+at /.test(line));
    this.stack = [`${this.name}: ${this.message}`, ...frames].join('\n');
    for (const key of ['expected', 'actual'] as const) {
      if (key in failure) Object.defineProperty(this, key, { value: failure[key] });
    }
  }
}

function messageOf(finding: Finding): string {
  const { failure, trial, rung, sentences, flip, identical, replay } = finding;
  return [
    failure.message,
    '',
    ...(sentences.length === 0 ? [] : ['It fails when:', ...sentences.flatMap(item), '']),
    ...(flip === undefined ? [] : flipLines(flip)),
    RUNG_MEANING[rung],
    trial === 0 ? `Rung ${rung}.` : `Rung ${rung}; found in trial ${trial}.`,
    ...(identical
      ? []
      : [
          'Not deterministic: the same schedule went another way when it was run again. Look for',
          'state outside the body of `simulate` that it changes.',
        ]),
    `replay with: ${replay}`,
  ].join('\n');
}

function flipLines({ first, second }: Flip): string[] {
  return [
    'What decides is the order of two steps:',
    `A  ${first.task} ${first.does} (${first.site})`,
    `B  ${second.task} ${second.does} (${second.site})`,
    'It fails when A comes before B, and passes when B comes before A.',
    '',
  ];
}

function item(sentence: string): string[] {
  const lines: string[] = [];
  let line = '-';
  for (const word of sentence.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
