/**
 * The suites of correct programs: our tests of libraries, and the tests that some of them ship.
 *
 * All live in one work folder, installed once. A library's own tests are swept in a copy of its
 * package, so that its code counts as the project's and gets yield points.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface Suite {
  readonly name: string;
  /** Where it is swept, below the work folder. */
  readonly folder: string;
  /** Options of the sweep beyond the usual ones. */
  readonly options: readonly string[];
  /** The package whose own tests they are. */
  readonly ships?: string;
  /** What mocha is told of a library's own tests. */
  readonly mocha?: Readonly<Record<string, unknown>>;
  /** What is to be said of its findings: each has been looked at. */
  readonly verdict?: string;
}

/**
 * Tests of bottleneck's that run here: the others want redis. Two want a package for heap dumps.
 */
const bottleneckTests = {
  ships: 'bottleneck',
  folder: 'own/bottleneck',
  mocha: {
    spec: ['DLList', 'batcher', 'general', 'group', 'priority', 'promises', 'retries']
      .concat('states', 'stop')
      .map((name) => `test/${name}.js`),
    grep: 'leak memory',
    invert: true,
  },
};

/** What our tests test. */
const libraries = [
  'async-lock',
  'async-mutex',
  'async-sema',
  'bottleneck',
  'dataloader',
  'emittery',
  'fastq',
  'generic-pool',
  'lru-cache',
  'p-limit',
  'p-map',
  'p-queue',
  'tarn',
  'tiny-async-pool',
];

export const suites: readonly Suite[] = [
  { name: 'tests of ours', folder: '.', options: [] },
  {
    name: 'tests of ours, with yield points in the libraries',
    folder: '.',
    options: libraries.map((name) => `--instrument=${name}`),
  },
  {
    ...bottleneckTests,
    name: "bottleneck's own tests",
    options: [],
    verdict:
      'Nearly all of these tests bound elapsed time from above, for instance ' +
      '`elapsed > 90 && elapsed < 130` after two delays of 50 ms. A loop that is 10 ms late at each ' +
      'of several timers is enough to fail them: they expect too much. Those that no run on plain Node ' +
      'has failed have the same bound, and need more such timers in a row. "Wrap Should allow passing ' +
      'options" expects the fifth job before a third one that may have started already. "Should support BLOCK" is never ' +
      'called back, and on plain Node as well bottleneck then says "Invalid job status null, expected ' +
      'QUEUED. Please open an issue": a bug of the library. On `stubs` come tests that expect ' +
      'their own jobs to end in time.',
  },
  {
    ...bottleneckTests,
    name: "bottleneck's own tests, with a loop that is never late",
    options: ['--max-stall=0ms'],
    verdict:
      'What is left: "Should support custom job weights" expects an order of timers that are due ' +
      'within a millisecond of each other, and on `stubs` tests expect their own jobs to end in time.',
  },
  {
    name: "lru-memoizer's own tests",
    ships: 'lru-memoizer',
    folder: 'own/lru-memoizer',
    mocha: { spec: ['test/*.test.js'] },
    options: [],
    verdict:
      'The tests look after 100 ms or so at entries that live for 200 ms, and hold as long as their ' +
      'own timers are on time: on `stubs` they need not be.',
  },
  {
    name: "semaphore's own tests",
    ships: 'semaphore',
    folder: 'own/semaphore',
    mocha: { spec: ['test/*.js'] },
    options: [],
    verdict:
      'The test looks every 275 ms at what timers of 250, 500 and 750 ms have done. It holds as long ' +
      'as its own timers are on time: on `stubs` they need not be.',
  },
];

/** Copies our tests to the work folder, and installs what they test, unless that has been done. */
export function prepareWork(work: string, source: string): void {
  fs.cpSync(source, work, { recursive: true });
  fs.writeFileSync(path.join(work, '.mocharc.json'), JSON.stringify({ spec: ['test/*.test.ts'] }));
  if (!isInstalled(work)) {
    const result = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
      cwd: work,
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(`npm install failed: ${result.stderr}`);
  }
  for (const { ships, folder, mocha } of suites) {
    if (ships === undefined) continue;
    const copy = path.join(work, folder);
    fs.cpSync(path.join(work, 'node_modules', ships), copy, { recursive: true });
    fs.writeFileSync(path.join(copy, '.mocharc.json'), JSON.stringify(mocha));
  }
}

function isInstalled(work: string): boolean {
  const { devDependencies } = readJson(path.join(work, 'package.json')) as {
    devDependencies: Record<string, string>;
  };
  return Object.entries(devDependencies).every(
    ([name, version]) => versionOf(work, name) === version,
  );
}

/** The installed version of a package; undefined when it is not there. */
export function versionOf(work: string, name: string): string | undefined {
  const file = path.join(work, 'node_modules', name, 'package.json');
  if (!fs.existsSync(file)) return undefined;
  return (readJson(file) as { version: string }).version;
}

function readJson(file: string): unknown {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}
