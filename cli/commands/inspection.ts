/**
 * Runs a replay in a process that a debugger attaches to.
 *
 * It may be paused for hours, so no watchdog looks after it; instead it ends with this process.
 */

import type { Replay } from '../sweep/investigation.js';
import type { FromWorker, ReplayJob } from '../sweep/protocol.js';
import type { Outcome } from '../sweep/lane.js';
import { WorkerProcess } from '../sweep/worker-process.js';
import { resultOf } from './outcome.js';
import type { Settings } from './settings.js';

/** What the shell makes of a process that a signal has ended. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** @throws UserError when the debugger cannot be served, or nothing was there to stop at */
export async function runInspected(
  settings: Settings,
  job: ReplayJob & Required<Pick<ReplayJob, 'inspect'>>,
): Promise<Outcome<Replay>> {
  const worker = new WorkerProcess(settings.setup);
  const listeners = Object.entries(SIGNALS).map(([signal, status]) => {
    const end = (): void => {
      worker.kill();
      process.exit(status);
    };
    process.once(signal, end);
    return () => process.removeListener(signal, end);
  });
  try {
    const outcome = await worker.run(
      job,
      () => Infinity,
      (message) => announce(message, job.inspect.step),
    );
    resultOf(outcome);
    return outcome;
  } finally {
    worker.kill();
    for (const remove of listeners) remove();
  }
}

/** The first line is Node's own, which editors and scripts look for. */
function announce(message: FromWorker, step: number): void {
  if (message.type !== 'inspector') return;
  process.stderr.write(
    `Debugger listening on ${message.address}\n` +
      `The replay waits for a debugger, and will stop at step #${step}: open chrome://inspect in ` +
      'Chrome, or attach your editor to this port.\n',
  );
}
