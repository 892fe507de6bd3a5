/**
 * The projects of the benchmarks of sweeps. The one they use where no other is given has one mocha
 * file with three tests that pass in every order.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ProjectSetup } from '../../cli/project.js';
import { compile } from '../../cli/compile.js';

const packages = path.join(__dirname, '../../../node_modules');

const SPEC = `import { expect } from 'chai';
import { Counter } from '../src/counter';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Stands in for a store that takes a while. */
async function fetchOne(id: number): Promise<number> {
  await sleep(2 + Math.random() * 5);
  return id;
}

for (let i = 0; i < TIMES; i++) describe(String(i), () => {
  let counter: Counter;

  beforeEach(() => {
    counter = new Counter();
  });

  it('adds what is fetched', async () => {
    await Promise.all([1, 2, 3].map(async (id) => counter.add(await fetchOne(id))));
    expect(counter.value).to.equal(6);
  });

  it('adds one after the other', async () => {
    for (const id of [1, 2, 3]) counter.add(await fetchOne(id));
    expect(counter.value).to.equal(6);
  });

  it('waits until it is settled', async () => {
    const settled = counter.settled(3);
    for (const id of [1, 2, 3]) void fetchOne(id).then(() => counter.add(1));
    await settled;
    expect(counter.value).to.equal(3);
  });
});
`;

const SOURCE = `export class Counter {
  value = 0;
  private readonly waiting: { until: number; resolve: () => void }[] = [];

  add(amount: number): void {
    this.value += amount;
    for (const { until, resolve } of this.waiting) if (this.value >= until) resolve();
  }

  async settled(until: number): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push({ until, resolve }));
  }
}
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'commonjs',
    moduleResolution: 'bundler',
    types: ['node', 'mocha'],
    strict: true,
    skipLibCheck: true,
    outDir: 'out',
    rootDir: '.',
  },
  include: ['src', 'test'],
};

/**
 * The files of the project.
 * @param times how often the file has its three tests, so that a trial takes longer
 */
export function counters(times = 1): Readonly<Record<string, string>> {
  return {
    'src/counter.ts': SOURCE,
    'test/counter.test.ts': SPEC.replace('TIMES', String(times)),
  };
}

/** Runs something in a folder with a project; the folder is removed afterwards. */
export async function inProject<T>(
  work: (root: string) => Promise<T>,
  files = counters(),
): Promise<T> {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-bench-')));
  try {
    const write = (name: string, text: string): void => {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), text);
    };
    fs.symlinkSync(packages, path.join(root, 'node_modules'), 'junction');
    write('package.json', '{ "name": "bench", "private": true, "version": "0.0.0" }\n');
    write('tsconfig.json', JSON.stringify(TSCONFIG));
    write('.mocharc.json', '{ "spec": ["test/*.test.ts"] }\n');
    for (const [name, text] of Object.entries(files)) write(name, text);
    return await work(root);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/** What a worker is told of the project, with its overlay up to date. */
export function setupFor(root: string, spec = 'test/counter.test.ts'): ProjectSetup {
  const specs = [path.join(root, spec)];
  compile({ root, config: {}, tests: specs, check: false, pretty: false });
  return {
    root,
    config: {},
    specs,
    grep: undefined,
    isolate: 'modules',
    seed: 0,
    order: 3,
    maxStall: 10,
  };
}
