/**
 * Whether two runs of one trial ended alike. What a package keeps from one to the next may change
 * nothing but what a test sees.
 */

import type { TestResult, TrialResult } from '../../runtime/mocha/types.js';

/** The first test that ended in another way, with both ends; undefined when all ended alike. */
export function differentOutcome(first: TrialResult, second: TrialResult): string | undefined {
  for (let i = 0; i < Math.max(first.tests.length, second.tests.length); i++) {
    const [a, b] = [endOf(first.tests[i]), endOf(second.tests[i])];
    if (a !== b) return `"${(first.tests[i] ?? second.tests[i])!.title}": ${a}; then ${b}`;
  }
  return undefined;
}

function endOf(test: TestResult | undefined): string {
  if (test === undefined) return 'not there';
  const [line = ''] = (test.failure?.message ?? '').split('\n');
  return line === '' ? test.state : `${test.state}, ${line}`;
}
