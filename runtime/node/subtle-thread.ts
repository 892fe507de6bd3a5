/**
 * The thread that calls Web Crypto for simulations: a call comes as a message, its outcome goes
 * back as one, and whoever waits is woken.
 */

import { workerData, type MessagePort } from 'node:worker_threads';

export interface SubtleCall {
  readonly method: string;
  readonly args: unknown[];
}

/** What has come of a call. An error is told by its parts, since classes get lost on the way. */
export type SubtleOutcome =
  | { readonly value: unknown }
  | {
      readonly error: {
        readonly dom: boolean;
        readonly name: string;
        readonly message: string;
        readonly code: unknown;
      };
    };

async function answer({ method, args }: SubtleCall): Promise<SubtleOutcome> {
  try {
    const subtle = crypto.subtle as unknown as Record<string, (...args: unknown[]) => unknown>;
    return { value: await subtle[method](...args) };
  } catch (thrown) {
    const { name, message, code } = thrown as Error & { code: unknown };
    return { error: { dom: thrown instanceof DOMException, name, message, code } };
  }
}

/** What the thread is given. */
export interface SubtleThreadData {
  readonly port: MessagePort;
  /** Counts the answers. */
  readonly answered: Int32Array;
}

const { port, answered } = workerData as SubtleThreadData;
port.on('message', (call: SubtleCall) => {
  void answer(call).then((outcome) => {
    port.postMessage(outcome);
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
});
