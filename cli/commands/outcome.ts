/**
 * What came of a single job in a worker of its own, as a result or as an error for the user.
 */

import { UserError } from '../errors.js';
import type { Outcome } from '../sweep/lane.js';

/**
 * The result of a job.
 * @throws UserError when the user has to solve what kept the job from its end
 */
export function resultOf<T>(outcome: Outcome<T>): T {
  switch (outcome.status) {
    case 'done':
      return outcome.result;
    case 'failed':
      if (outcome.error.user) throw new UserError(outcome.error.message);
      throw Object.assign(new Error(outcome.error.message), { stack: outcome.error.stack });
    case 'silent':
      throw new UserError(
        `The replay was still in one synchronous stretch of code after ${Math.round(outcome.silentMs / 1000)} s: ` +
          'the code under test has an endless loop with this seed.',
      );
    case 'cancelled':
      throw new Error('a job of one process is never cancelled');
    case 'died':
    case 'unstarted':
      throw new UserError(`The process of the replay ended: ${outcome.reason}.`);
  }
}
