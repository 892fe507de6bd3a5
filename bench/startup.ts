/**
 * How long a person waits for the first sign: `detsim --version`, the first trial of a sweep of a
 * project that has not changed, and the first result after an edit under `detsim watch`; beside a
 * Node that does nothing.
 *
 *     node dist/bench/startup.js [--json] [--rounds=9]
 *
 * All are measured in turn, round by round, and the figures are medians of the rounds. Times are
 * from the start of the process, or from the edit. A module that is loaded into the workers before
 * anything else notes when they are handed a job, and when they first have something to say of it.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { inProject } from './sweep/project.js';

const detsim = path.join(__dirname, '../cli/bin.js');
const probe = path.join(__dirname, 'startup/probe.js');

/** How long an edit may be without a result, in ms: what is measured does not work then. */
const PATIENCE_MS = 60_000;

const NAMES = {
  node: 'node --eval 0',
  version: 'detsim --version',
  first: 'first trial of a sweep',
  sweep: 'a sweep of one trial',
  edit: 'first result after an edit',
} as const;

export async function benchStartup(rounds: number): Promise<{ figures: Figure[] }> {
  return inProject(async (root) => {
    const commands = new Commands(root);
    commands.sweep();
    const times = { node: [], version: [], first: [], sweep: [], edit: [] } as Record<
      keyof typeof NAMES,
      number[]
    >;
    for (let i = 0; i < rounds; i++) {
      times.node.push(commands.timed('--eval', '0'));
      times.version.push(commands.timed(detsim, '--version'));
      times.sweep.push(commands.sweep());
      times.first.push(commands.first('job'));
    }
    times.edit = await commands.edits(rounds);
    const limits = {
      version: 'at most 120 ms',
      first: 'at most 600 ms',
      edit: 'at most 1,000 ms',
    } as Partial<Record<keyof typeof NAMES, string>>;
    const against = { [NAMES.node]: median(times.node) };
    const figures = (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
      const limit = limits[name];
      return figure({
        ...{ bench: 'startup', figure: NAMES[name], value: median(times[name]), unit: 'ms' },
        ...(name !== 'node' && { against }),
        ...(limit !== undefined && { limit }),
      });
    });
    return { figures };
  });
}

/** Commands in a project, and what the probe has noted of the last one. */
class Commands {
  private readonly notes: string;
  private readonly env: NodeJS.ProcessEnv;
  private startedAt = 0;

  constructor(private readonly root: string) {
    this.notes = path.join(root, 'notes.txt');
    const options = `--require=${JSON.stringify(probe)}`;
    this.env = { ...process.env, NODE_OPTIONS: options, DETSIM_BENCH_PROBE: this.notes };
  }

  /** Of the whole process, in ms. */
  timed(...args: readonly string[]): number {
    const startedMs = performance.now();
    execFileSync(process.execPath, args, {
      cwd: this.root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return performance.now() - startedMs;
  }

  sweep(): number {
    this.begin();
    const args = [detsim, 'sweep', '--trials=1', '--no-check'];
    const stdio = ['ignore', 'ignore', 'inherit'] as const;
    execFileSync(process.execPath, args, { cwd: this.root, env: this.env, stdio: [...stdio] });
    return now() - this.startedAt;
  }

  /** When something was first noted, in ms since the command or edit. */
  first(what: 'job' | 'result'): number {
    const text = fs.existsSync(this.notes) ? fs.readFileSync(this.notes, 'utf8') : '';
    const line = text.split('\n').find((one) => one.startsWith(`${what} `));
    return line === undefined ? NaN : Number(line.slice(what.length + 1)) - this.startedAt;
  }

  /** Edits the source under `detsim watch` so many times. @returns ms to the first results */
  async edits(times: number): Promise<number[]> {
    const source = path.join(this.root, 'src/counter.ts');
    const text = fs.readFileSync(source, 'utf8');
    const watch = spawn(process.execPath, [detsim, 'watch', '--trials=50'], {
      ...{ cwd: this.root, env: this.env, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    let swept = 0;
    watch.stdout!.setEncoding('utf8').on('data', (part: string) => {
      swept += part.split('Waiting for an edit').length - 1;
    });
    const found: number[] = [];
    try {
      for (let i = 0; i <= times; i++) {
        await until(() => swept > i);
        if (i > 0) found.push(this.first('result'));
        // The processes of the next sweep are started when one has ended, and stand by.
        await new Promise((resolve) => setTimeout(resolve, 1000));
        this.begin();
        if (i < times) fs.writeFileSync(source, `${text}\n// Edit ${i}.\n`);
      }
    } finally {
      watch.kill('SIGINT');
      await once(watch, 'close');
    }
    return found;
  }

  private begin(): void {
    fs.rmSync(this.notes, { force: true });
    this.startedAt = now();
  }
}

/** Wall clock, in ms: the probe's clock, whichever process it is in. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

async function until(condition: () => boolean): Promise<void> {
  const startedMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error('`detsim watch` is silent.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '9' },
    },
  });
  const { figures } = await benchStartup(Number(values.rounds));
  printFigures(figures, values.json);
}

if (require.main === module) void main();
