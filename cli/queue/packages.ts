/**
 * BullMQ and ioredis, which only a sweep with `--queue` needs: the project installs them itself.
 */

import { UserError } from '../errors.js';

export interface QueuePackages {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
}

/**
 * Loads both, from the project or from where detsim is installed.
 * @throws UserError when one of them is missing
 */
export function loadPackages(root: string): QueuePackages {
  const load = (name: string): unknown => {
    try {
      return require(require.resolve(name, { paths: [root, __dirname] }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
      throw new UserError(
        `--queue needs the packages bullmq (6 or later) and ioredis (5 or later), and ${name} is ` +
          'not installed. Run `npm install --save-dev bullmq ioredis`.',
      );
    }
  };
  const bullmq = load('bullmq') as QueuePackages['bullmq'];
  const { Redis } = load('ioredis') as typeof import('ioredis');
  return { bullmq, Redis };
}
