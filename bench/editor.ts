/**
 * What the editor plugin adds to a request for semantic diagnostics, in a project of 200 files: two
 * tsservers, one with the plugin and one without, are asked the same in turn.
 *
 *     node dist/bench/editor.js [--json] [--modules=200] [--rounds=5]
 *
 * Each round opens files that were not open before and asks about them, types a character into each
 * and asks again. Then the same keystrokes go to one file of 10,000 lines. What counts is the
 * processor time of the server, where the system tells it (Linux): other work on the machine would
 * drown a difference of a few percent in the time that passes.
 */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TsServer } from '../test/langservice/tsserver.js';
import { moduleName, writeProject } from './compile/project.js';
import { figure, printFigures, type Figure } from './figures.js';

const packages = path.join(__dirname, '../../node_modules');
const PLUGIN = { name: 'detsim/langservice' };
const LARGE = 'src/large.ts';

/** Times of the same requests to both servers, in ms. */
interface Times {
  readonly without: number[];
  readonly with: number[];
}

/** The two servers, asked in turn; which is first changes from file to file. */
class Pair {
  private turn = 0;
  constructor(
    private readonly without: TsServer,
    private readonly plugin: TsServer,
    private readonly work: string[],
  ) {}

  /** Sends one request to both, and notes how long each takes. */
  async ask(into: Times, file: string): Promise<void> {
    const servers = [
      { server: this.without, times: into.without },
      { server: this.plugin, times: into.with },
    ];
    if ((this.turn++ >> 1) % 2 === 1) servers.reverse();
    for (const { server, times } of servers) {
      const startedMs = spentMs(server.pid);
      const found = await server.diagnostics(file);
      times.push(spentMs(server.pid) - startedMs);
      if (server === this.plugin) this.work.push(`${file} ${found.length}`);
    }
  }

  /** Tells both something, and waits until they have dealt with it. */
  async both(act: (server: TsServer) => void): Promise<void> {
    for (const server of [this.without, this.plugin]) {
      act(server);
      await server.request('status', {});
    }
  }
}

export async function benchEditor(
  modules: number,
  rounds: number,
  lines: number,
): Promise<{ figures: Figure[]; work: string }> {
  const folders = [false, true].map((plugin) => project(modules, lines, plugin));
  const typescript = path.join(packages, 'typescript');
  const [without, plugin] = folders.map((folder) => new TsServer(folder, typescript));
  const work: string[] = [];
  const pair = new Pair(without!, plugin!, work);
  try {
    const [first, typed, large] = [times(), times(), times()];
    // The first answer takes reading the whole project.
    await ask(pair, [LARGE], times(), times());
    for (let round = 0; round < rounds; round++) {
      const files = Array.from({ length: modules }, (_, i) => moduleName(i));
      await ask(
        pair,
        files.filter((_, i) => i % 10 === round % 10),
        first,
        typed,
      );
      await ask(pair, [LARGE], times(), large);
    }
    const figures = [
      compared(`a file is opened (${modules} files)`, first),
      compared(`a character is typed (${modules} files)`, typed),
      compared(`a character is typed into ${lines} lines`, large),
    ];
    return { figures, work: createHash('sha256').update(work.join()).digest('hex').slice(0, 12) };
  } finally {
    await Promise.all([without!.stop(), plugin!.stop()]);
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(
  pair: Pair,
  files: readonly string[],
  first: Times,
  typed: Times,
): Promise<void> {
  const start = { line: 1, offset: 1 };
  for (const file of files) {
    await pair.both((server) => server.open(file));
    await pair.ask(first, file);
    await pair.both((server) => server.edit(file, start, start, ' '));
    await pair.ask(typed, file);
    await pair.both((server) => server.close(file));
  }
}

function compared(title: string, { without, with: plugin }: Times): Figure {
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return figure({
    bench: 'editor',
    figure: title,
    value: sum(plugin) / plugin.length,
    unit: 'ms',
    against: { 'without the plugin': sum(without) / without.length },
    limit: 'at most 1.05 x without',
  });
}

/**
 * The processor time that a process has spent, in ms: to 10 ms, which is enough for a sum over many
 * requests. Where the system does not tell, the time that has passed.
 */
function spentMs(pid: number): number {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    const ticks = Number(fields[12]) + Number(fields[13]);
    return ticks * 10;
  } catch {
    return performance.now();
  }
}

function times(): Times {
  return { without: [], with: [] };
}

function project(modules: number, lines: number, plugin: boolean): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-bench-')));
  writeProject(folder, modules, packages);
  const file = path.join(folder, 'tsconfig.json');
  const tsconfig = JSON.parse(fs.readFileSync(file, 'utf8')) as { compilerOptions: object };
  const compilerOptions = { ...tsconfig.compilerOptions, plugins: plugin ? [PLUGIN] : [] };
  fs.writeFileSync(file, JSON.stringify({ ...tsconfig, compilerOptions }));
  fs.writeFileSync(path.join(folder, LARGE), largeFile(lines));
  return folder;
}

/** A file of many functions, each of which sees the one before it. */
function largeFile(lines: number): string {
  const perFunction = 10;
  const functions = Array.from({ length: Math.ceil(lines / perFunction) }, (_, i) => {
    const call = i === 0 ? 'Promise.resolve(key.length)' : `step${i - 1}(key)`;
    return `export async function step${i}(key: string): Promise<number> {
  const known = new Map<string, number>([[key, ${i}]]);
  const value = await ${call};
  if (value > ${i}) return value;
  for (const [name, size] of known) {
    await new Promise<void>((resolve) => setTimeout(resolve, size % 3));
    console.log(name, new Date().toISOString());
  }
  return value + known.size;
}`;
  });
  return `${functions.join('\n')}\n`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      modules: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '5' },
      lines: { type: 'string', default: '10000' },
    },
  });
  const [modules, rounds] = [Number(values.modules), Number(values.rounds)];
  const { figures, work } = await benchEditor(modules, rounds, Number(values.lines));
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
