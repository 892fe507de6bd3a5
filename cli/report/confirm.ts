/**
 * What `detsim confirm` says of a finding.
 */

import { NODE, RUNGS, type Rung } from '../../runtime/kernel/rung.js';
import type { SeenFailure } from '../sweep/protocol.js';
import type { Finding } from './model.js';
import type { Colors } from './style.js';
import { capitalized, count, KIND_NAMES, RUNG_MEANING, wrap } from './words.js';

export interface Confirmation {
  /** How the test fails in the simulation. */
  readonly simulated: SeenFailure | undefined;
  /** What the schedule does. */
  readonly sentences: readonly string[];
  /** On plain Node. */
  readonly runs: number;
  /** Whether the last of them failed as the simulation does. */
  readonly confirmed?: boolean;
  /** How much longer I/O took in that run than the schedule says. */
  readonly factor?: number;
  /** How the test ends on plain Node without the deviations. */
  readonly control?: string;
  /** Other failures that were seen on plain Node. */
  readonly others?: readonly SeenFailure[];
  /** Why plain Node was not tried. */
  readonly reason?: string;
  /** The rung, when it is above `node`. */
  readonly rung?: Rung;
}

export function formatConfirmation(confirmation: Confirmation, c: Colors): string {
  const { simulated, sentences } = confirmation;
  const lines: string[] = [];
  if (simulated !== undefined) {
    lines.push(c.bold(simulated.title), failureLine(simulated), '');
    const wrapped = sentences.flatMap((s) => wrap(`- ${capitalized(s)}`, 100, '  '));
    if (wrapped.length > 0) lines.push(...wrapped, '');
  }
  return `${[...lines, ...verdict(confirmation, c)].join('\n')}\n`;
}

/** Why plain Node is not asked for a finding; undefined when it can be. */
export function reasonAgainst({ rung, minimized }: Finding): string | undefined {
  return RUNGS.indexOf(rung) > NODE ? `it is on rung ${rung}` : minimized?.unconfirmable;
}

/**
 * The end of what is said of several.
 * @param left the findings that plain Node was not asked for
 */
export function formatConfirmations(
  tried: readonly Confirmation[],
  left: readonly Finding[],
): string {
  const confirmed = tried.filter((one) => one.confirmed === true).length;
  const lines = [
    tried.length === 0
      ? 'The last sweep has no such finding that plain Node makes by itself.'
      : `${confirmed} of ${count(tried.length, 'finding')} confirmed on plain Node`,
  ];
  for (const finding of left) {
    const why = reasonAgainst(finding) ?? 'there is no trace of it';
    lines.push(`not tried: ${finding.test}: ${why}`);
  }
  return `${lines.join('\n')}\n`;
}

function verdict(confirmation: Confirmation, c: Colors): string[] {
  const { sentences, runs, factor = 1, confirmed, control, others, reason, rung } = confirmation;
  const node = `plain Node ${process.versions.node}`;
  if (confirmed === true) {
    const run = runs === 1 ? 'in the first run' : `in run ${runs}`;
    const without =
      control === 'passed'
        ? 'Without these deviations it passes there'
        : 'It fails there without them too';
    const longer = factor === 1 ? '' : `, with delays of I/O ${factor} times as long`;
    const said = c.green(`confirmed: it fails in the same way on ${node}, ${run}${longer}`);
    const deviates = control === 'passed' || sentences.length > 0;
    return deviates ? [said, `${without}.`] : [said];
  }
  if (reason !== undefined) {
    const meaning = rung === undefined ? [] : [`Rung ${RUNGS[rung]}: ${RUNG_MEANING[RUNGS[rung]]}`];
    return [c.red(`not confirmed: ${reason}`), ...meaning];
  }
  return [
    c.red(`not confirmed: ${count(runs, 'run')} on ${node} did not fail in this way`),
    ...(others ?? []).map((other) => `It failed in another way: ${failureLine(other)}`),
  ];
}

function failureLine({ kind, message }: SeenFailure): string {
  return `${KIND_NAMES[kind]}: ${message}`;
}
