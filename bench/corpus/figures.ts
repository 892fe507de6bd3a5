/**
 * What the findings of the buggy versions are worth to their readers, over all results there are:
 * how few deviations are left of them, whether they replay, and whether plain Node fails as they
 * do.
 */

import type { Results } from '../corpus.js';
import type { Finding } from './sweeps.js';

/** As many deviations as a person can hold in mind. */
const FEW = 4;

/** One line for each figure; none where nothing was found. */
export function figuresOf(results: Results): string[] {
  const named = Object.entries(results).flatMap(([mode, cases]) =>
    Object.entries(cases).flatMap(([name, { buggy }]) =>
      (buggy?.findings ?? []).map((finding) => ({ name: `${name}, ${mode} times`, finding })),
    ),
  );
  const findings = named.map(({ finding }) => finding);
  const examined = findings.filter(({ afterwards }) => afterwards !== undefined);
  if (examined.length === 0) return [];
  const share = (what: string, of: readonly Finding[], has: (one: Finding) => boolean): string => {
    const count = of.filter(has).length;
    return `- ${what}: ${count} of ${of.length} (${((100 * count) / of.length).toFixed(1)}%)`;
  };
  const onNode = examined.filter(({ afterwards }) => afterwards?.confirmed !== undefined);
  const isConfirmed = (one: Finding): boolean =>
    one.afterwards!.confirmed!.startsWith('confirmed:');
  return [
    share(`minimized to at most ${FEW} deviations`, findings, (one) => few(one)),
    share(
      'replayed event for event by a fresh process',
      findings,
      (one) => !!one.replay?.identical,
    ),
    share('the failing run replayed from its trace alone, on another seed', examined, (one) => {
      return one.afterwards!.fromTrace;
    }),
    share('the minimized run replayed from its trace alone', examined, (one) => {
      return one.afterwards!.fromMinimized;
    }),
    share('of those on rung `node` or below, confirmed on plain Node', onNode, isConfirmed),
    ...named
      .filter(({ finding }) => onNode.includes(finding) && !isConfirmed(finding))
      .map(({ name, finding }) => `  - ${name}: ${finding.afterwards!.confirmed}`),
  ];
}

function few({ deviations }: Finding): boolean {
  return deviations !== null && deviations <= FEW;
}
