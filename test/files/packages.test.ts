/**
 * Packages of other people's that write files, unchanged, inside a simulation: they see and leave
 * what they see and leave on the real disk, and write-file-atomic keeps its promise when the power
 * fails.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Strategy } from '../../runtime/kernel/choice.js';
import { NODE } from '../../runtime/kernel/rung.js';
import { noDeviation } from '../../runtime/kernel/choice.js';
import { powerMayFail } from '../../runtime/node/files/power.js';
import { values } from '../../runtime/explore/strategies/draws.js';
import { simulate } from '../node/simulate.js';

// Not all of these packages have types; what they do is what is tested.
const fse = require('fs-extra') as any;
const gracefulFs = require('graceful-fs') as any;
const lockfile = require('proper-lockfile') as any;
const writeFileAtomic = require('write-file-atomic') as any;

type Log = (...values: unknown[]) => void;
type Program = (log: Log, dir: string) => Promise<unknown>;

/** What is in a folder: the names with types and permissions, and what is in the files. */
function contents(folder: string): unknown[] {
  return (fs.readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const file = path.join(folder, name);
    const stats = fs.lstatSync(file);
    const mode = stats.mode.toString(8);
    if (stats.isSymbolicLink()) return [name, mode, fs.readlinkSync(file)];
    return stats.isFile() ? [name, mode, fs.readFileSync(file, 'latin1')] : [name, mode];
  });
}

/** Runs a program in a folder of its own, and then logs what it has left. */
async function runIn(program: Program, note: Log): Promise<void> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'packages-'));
  const log: Log = (...values) =>
    note(JSON.parse(JSON.stringify(values).replaceAll(dir, 'DIR')) as unknown);
  try {
    await program(log, dir);
    log(contents(dir));
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

function simulated(program: Program, strategy?: Strategy): { log: unknown[]; digest: number } {
  const { log, errors, scheduler } = simulate((note) => runIn(program, note), {
    rung: NODE,
    strategy,
  });
  expect(errors).to.deep.equal([]);
  expect([...scheduler.uncontrolled.keys()]).to.deep.equal([]);
  return { log, digest: scheduler.loop.digest };
}

/** On the real disk and on a simulated one, twice. */
function sameOnBoth(name: string, program: Program): void {
  it(name, async () => {
    const real: unknown[] = [];
    await runIn(program, (values) => void real.push(values));
    // Not in a microtask: a simulation runs the microtasks itself.
    const [first, second] = await new Promise<ReturnType<typeof simulated>[]>((resolve, reject) => {
      setImmediate(() => {
        try {
          resolve([simulated(program), simulated(program)]);
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    expect(first.log).to.deep.equal(real);
    expect(second).to.deep.equal(first);
  });
}

const codeOf = (error: unknown): unknown => {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  return [code, syscall, message];
};

describe('packages that write files', () => {
  sameOnBoth('fs-extra: trees, copies, moves and JSON', async (log, dir) => {
    const at = (name: string): string => path.join(dir, name);
    await fse.outputFile(at('a/b/c.txt'), 'deep');
    await fse.outputJson(at('a/data.json'), { list: [1, 2], text: 'ü' }, { spaces: 2 });
    log(await fse.readJson(at('a/data.json')), await fse.pathExists(at('a/none')));
    await fse.ensureSymlink(at('a/b/c.txt'), at('links/c'));
    await fse.ensureLink(at('a/data.json'), at('links/data'));
    await fse.copy(at('a'), at('copy'), { filter: (file: string) => !file.endsWith('.json') });
    await fse
      .copy(at('a/b/c.txt'), at('copy/b/c.txt'), { overwrite: false, errorOnExist: true })
      .catch((error: Error) => log(error.message));
    await fse.move(at('copy/b'), at('moved/to/b'));
    await fse.move(at('a/data.json'), at('moved')).catch((error: Error) => log(error.message));
    await fse.emptyDir(at('copy'));
    await fse.ensureFile(at('moved/empty'));
    await fse.remove(at('a/b'));
    await fse.readJson(at('a/b')).catch((error: unknown) => log(codeOf(error)));
  });

  sameOnBoth(
    'graceful-fs: many files at once, and a rename over another file',
    async (log, dir) => {
      const call = (name: string, ...args: unknown[]): Promise<unknown> =>
        new Promise((resolve, reject) => {
          gracefulFs[name](...args, (error: unknown, value: unknown) =>
            error ? reject(error as Error) : resolve(value),
          );
        });
      const names = Array.from({ length: 40 }, (_, i) => path.join(dir, `file${i}`));
      await Promise.all(names.map((name, i) => call('writeFile', name, `${i}`)));
      await Promise.all(names.map((name) => call('appendFile', name, '!')));
      log(await Promise.all(names.map((name) => call('readFile', name, 'utf8'))));
      await call('rename', names[0], names[1]);
      await call('copyFile', names[1], names[0]);
      await call('readdir', path.join(dir, 'none')).catch((error: unknown) => log(codeOf(error)));
      log(((await call('readdir', dir)) as string[]).length);
      const stream = gracefulFs.createReadStream(names[1], 'utf8');
      log(await stream.toArray());
    },
  );

  sameOnBoth('proper-lockfile: one holder at a time, and a stale lock', async (log, dir) => {
    const file = path.join(dir, 'queue.json');
    fs.writeFileSync(file, '[]');
    const release = await lockfile.lock(file);
    log(await lockfile.check(file));
    await lockfile.lock(file).catch((error: unknown) => log(codeOf(error)));
    await release();
    log(await lockfile.check(file));
    await release().catch((error: unknown) => log(codeOf(error)));
    fs.mkdirSync(`${file}.lock`);
    const old = Date.now() / 1000 - 3600;
    fs.utimesSync(`${file}.lock`, old, old);
    const taken = await lockfile.lock(file, { stale: 5000 });
    log(contents(dir));
    await taken();
    await lockfile.lock(path.join(dir, 'none')).catch((error: unknown) => log(codeOf(error)));
  });

  sameOnBoth(
    'write-file-atomic: the permissions are kept, and writers take turns',
    async (log, dir) => {
      const file = path.join(dir, 'accounts.json');
      fs.writeFileSync(file, 'old', { mode: 0o600 });
      await Promise.all(['first', 'second', 'third'].map((text) => writeFileAtomic(file, text)));
      log(fs.readFileSync(file, 'utf8'));
      await writeFileAtomic(path.join(dir, 'new.bin'), Buffer.from([0, 255]), { mode: 0o640 });
      await writeFileAtomic(path.join(dir, 'none', 'x'), 'x').catch(
        (error: NodeJS.ErrnoException) => log(error.code, error.syscall),
      );
    },
  );
});

describe('write-file-atomic when the power fails', () => {
  /** What the file is after each of many trials. */
  function left(save: (file: string, text: string) => Promise<void>): Set<unknown> {
    const seen = new Set<unknown>();
    for (let seed = 1; seed <= 200; seed++) {
      const program: Program = async (log, dir) => {
        const file = path.join(dir, 'accounts.json');
        await save(file, 'old text');
        await save(file, 'new text');
        powerMayFail();
        log(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : 'gone');
      };
      const strategy = { ...noDeviation, ...values(seed) };
      const { log } = simulate((note) => runInUntidied(program, note), { rung: NODE, strategy });
      seen.add((log[0] as unknown[])[0]);
    }
    return seen;
  }

  async function runInUntidied(program: Program, note: Log): Promise<void> {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'power-'));
    await program((...values) => note(values), dir);
  }

  it('leaves the old or the new text', () => {
    const seen = left((file, text) => writeFileAtomic(file, text));
    expect([...seen].sort()).to.deep.equal(['new text', 'old text']);
  });

  it('leaves other things where it is told not to sync', () => {
    const seen = left((file, text) => writeFileAtomic(file, text, { fsync: false }));
    expect([...seen]).to.include.members(['', 'new text']);
  });
});
