/**
 * What a search says of a test: how much there was, and how much of it was seen.
 */

import type { Coverage } from '../sweep/protocol.js';
import { count, formatNumber } from './words.js';

/** One sentence about the search of one test. */
export function coverageNote(covered: Coverage): string {
  const { title, ended, trials, shapes, outcomes, newLately, lately, seen } = covered;
  const results = `${count(shapes, 'shape')}, ${count(outcomes, 'outcome')}`;
  switch (ended) {
    case 'one schedule':
      return `"${title}": nothing in it can go in another order.`;
    case 'all':
      return `"${title}": all ${count(trials, 'schedule')} explored: ${results}.`;
    default: {
      const rate =
        `${count(newLately, 'new shape')} in the last ${formatNumber(lately)} trials; ` +
        `about ${Math.floor(100 * seen)}% of the mass seen`;
      const end = ended === 'dry' ? '' : ' There is more: give it more --trials.';
      return `"${title}": ${results}; ${rate}.${end}`;
    }
  }
}
