/**
 * The entry of a worker process: takes jobs from the coordinator, one at a time.
 */

import { UserError } from '../errors.js';
import type { FromWorker, Job, ToWorker, WorkerError } from '../sweep/protocol.js';
import { Engine } from './engine.js';

/** Captured before a test can replace it. */
const send = process.send!.bind(process) as (message: FromWorker, sent?: () => void) => boolean;
const { exit } = process;

let engine: Engine | undefined;
let setupError: WorkerError | undefined;

process.on('message', (message: ToWorker) => {
  if (message.type === 'stop') engine?.stop();
  else if (message.type === 'job') void runJob(message.job);
  else {
    try {
      engine = new Engine(message.setup, send);
    } catch (error) {
      setupError = describe(error);
    }
    send({ type: 'ready' });
  }
});

// Ctrl-C reaches the whole process group; when a worker ends is for the coordinator to say.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => exit(0));

async function runJob(job: Job): Promise<void> {
  if (engine === undefined) {
    send({ type: 'failed', error: setupError! });
    return;
  }
  try {
    send({ type: 'done', result: await engine.run(job) });
  } catch (error) {
    send({ type: 'failed', error: describe(error) });
  }
}

function describe(error: unknown): WorkerError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { user: error instanceof UserError, message, stack: stack ?? message };
}
