/**
 * Loaded before anything else into every process of a measured command: notes in a file when a
 * worker is handed its jobs, and when it has first told something of each.
 */

import fs from 'node:fs';

interface Message {
  readonly type: string;
}

const { appendFileSync } = fs;
const clock = performance.now.bind(performance);
const { timeOrigin } = performance;
const file = process.env.DETSIM_BENCH_PROBE!;

function note(what: string): void {
  appendFileSync(file, `${what} ${timeOrigin + clock()}\n`);
}

if (process.send !== undefined) {
  let working = false;
  const send = process.send.bind(process);
  process.send = ((message: Message, ...rest: never[]) => {
    if (working && (message.type === 'results' || message.type === 'done')) {
      working = false;
      note('result');
    }
    return send(message, ...rest);
  }) as typeof process.send;
  process.on('message', (message: Message) => {
    if (message.type !== 'job') return;
    working = true;
    note('job');
  });
}
