/**
 * What a file costs: `writeFile` and then `readFile` of one small file, in a simulation and on
 * plain Node.
 *
 *     node dist/bench/files.js [--json] [--files=2000] [--rounds=5]
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { noDeviation } from '../runtime/kernel/choice.js';
import { EventLoop } from '../runtime/kernel/event-loop.js';
import { NATIVE } from '../runtime/kernel/rung.js';
import { drain } from '../runtime/node/drain.js';
import { install } from '../runtime/node/install.js';
import { pristine } from '../runtime/node/pristine.js';
import { active, Scheduler } from '../runtime/tasks/scheduler.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { onItsOwn } from './on-its-own.js';

const TEXT = 'a line of text\n'.repeat(10);
type Interface = 'callbacks' | 'promises';

/** Writes and reads so many files, one after the other. Returns how many bytes came back. */
async function writeAndRead(dir: string, files: number, by: Interface): Promise<number> {
  let bytes = 0;
  for (let i = 0; i < files; i++) {
    const file = `${dir}/${i % 100}`;
    if (by === 'promises') {
      await fs.promises.writeFile(file, TEXT);
      bytes += (await fs.promises.readFile(file)).length;
    } else {
      await new Promise((resolve) => fs.writeFile(file, TEXT, resolve));
      const read = (resolve: (length: number) => void): void =>
        fs.readFile(file, (_error, data) => resolve(data.length));
      bytes += await new Promise<number>(read);
    }
  }
  return bytes;
}

function inSimulation(files: number, by: Interface): { ns: number; bytes: number } {
  const loop = new EventLoop({
    drain,
    onError: (error) => {
      throw error as Error;
    },
    onIdle: () => false,
    onBudget: () => undefined,
    maxSteps: Infinity,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  scheduler.beginScope({ title: 'bench', rung: NATIVE, strategy: noDeviation });
  active.scheduler = scheduler;
  try {
    let bytes = 0;
    const start = pristine.performanceNow();
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'));
    void writeAndRead(dir, files, by).then((read) => void (bytes = read));
    loop.run();
    return { ns: ((pristine.performanceNow() - start) / files) * 1e6, bytes };
  } finally {
    scheduler.ended = true;
    active.scheduler = undefined;
  }
}

async function onPlainNode(files: number, by: Interface): Promise<number> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'));
  try {
    const start = pristine.performanceNow();
    await writeAndRead(dir, files, by);
    return ((pristine.performanceNow() - start) / files) * 1e6;
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

export async function benchFiles(size: {
  readonly files: number;
  readonly rounds: number;
}): Promise<{ figures: Figure[]; work: string }> {
  install();
  const figures: Figure[] = [];
  let work = 0;
  for (const by of ['callbacks', 'promises'] as const) {
    const simulated: number[] = [];
    const plain: number[] = [];
    for (let i = 0; i <= size.rounds; i++) {
      const { ns, bytes } = await onItsOwn(() => inSimulation(size.files, by));
      const real = await onPlainNode(size.files, by);
      work += bytes;
      if (i === 0) continue; // It warms up.
      simulated.push(ns / 1e3);
      plain.push(real / 1e3);
    }
    figures.push(
      figure({
        bench: 'files',
        figure: `writeFile and readFile by ${by}`,
        value: median(simulated),
        unit: 'µs',
        against: { 'plain Node': median(plain) },
        limit: 'at most 40 µs',
      }),
    );
  }
  return { figures, work: String(work) };
}

if (require.main === module) {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      files: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '5' },
    },
  });
  void benchFiles({ files: Number(values.files), rounds: Number(values.rounds) }).then(
    ({ figures, work }) => {
      printFigures(figures, values.json);
      if (!values.json) console.log(`work ${work}`);
    },
  );
}
