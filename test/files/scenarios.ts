/**
 * Small programs on files. Each gets an empty folder, and logs what it sees: results, errors with
 * everything they say, events and their order. It must see the same on a real disk.
 */

import type { EventEmitter } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  attempt,
  attempts,
  everywhere,
  furnish,
  promises,
  shape,
  targets,
  told,
  tree,
  type Scenario,
} from './calls.js';

export const scenarios: Record<string, Scenario> = {};

for (const [name, run] of Object.entries(everywhere)) {
  scenarios[`${name}, everywhere`] = (dir, log) => {
    for (const target of targets) {
      const own = `${dir}/${targets.indexOf(target)}`;
      fs.mkdirSync(own);
      furnish(own);
      const at = target === '' ? '' : `${own}/${target}`;
      log(target);
      attempt(log, () => run(at, own));
      log(tree(own));
    }
  };
}

const asynchronous = [
  'stat',
  'lstat',
  'readdir',
  'readlink',
  'realpath',
  'access',
  'rmdir',
  'unlink',
].concat(['readFile', 'mkdir', 'open', 'opendir', 'truncate', 'rm', 'chmod', 'utimes', 'statfs']);

for (const name of asynchronous) {
  const extra: unknown[] = { chmod: [0o600], utimes: [3, 4] }[name] ?? [];
  scenarios[`${name} by callback and promise, everywhere`] = async (dir, log) => {
    for (const target of targets) {
      if (name === 'rm' && target === 'sub/..') continue;
      for (const kind of ['callback', 'promise'] as const) {
        const own = `${dir}/${targets.indexOf(target)}${kind}`;
        fs.mkdirSync(own);
        furnish(own);
        const at = target === '' ? '' : `${own}/${target}`;
        const call = (
          kind === 'callback'
            ? promisify((fs as any)[name] as (...args: unknown[]) => void)
            : (fs.promises as any)[name]
        ) as (...args: unknown[]) => Promise<unknown>;
        log(target, kind);
        await attempts(log, async () => {
          const result: any = await call(at, ...extra);
          if (typeof result?.close === 'function') await result.close();
          if (result instanceof fs.Stats) return shape(result);
          if (typeof result === 'string') return result.replace(own, '');
          return Array.isArray(result) || Buffer.isBuffer(result) ? result : typeof result;
        });
        log(tree(own));
      }
    }
  };
}

Object.assign(scenarios, {
  'numbers of open files are used again': (dir, log) => {
    const first = fs.openSync(`${dir}/a`, 'w');
    const second = fs.openSync(`${dir}/b`, 'w');
    log(second - first);
    fs.closeSync(first);
    log(fs.openSync(`${dir}/c`, 'w') - first);
    fs.closeSync(second);
    attempt(log, () => fs.closeSync(second));
    attempt(log, () => fs.writeSync(second, 'x'));
    attempt(log, () => fs.readSync(second, Buffer.alloc(1)));
    attempt(log, () => fs.fstatSync(second));
    attempt(log, () => fs.fsyncSync(second));
    attempt(log, () => fs.ftruncateSync(second));
    fs.closeSync(first);
  },
  'positions of reads and writes': (dir, log) => {
    const fd = fs.openSync(`${dir}/a`, 'w+');
    log(fs.writeSync(fd, 'hello'), fs.writeSync(fd, 'J', 0), fs.writeSync(fd, '!'));
    const buffer = Buffer.alloc(10);
    log(fs.readSync(fd, buffer), fs.readSync(fd, buffer, 0, 10, 0), buffer.toString());
    log(fs.writeSync(fd, 'far', 12), fs.readFileSync(`${dir}/a`, 'latin1'));
    log(fs.writevSync(fd, [Buffer.from('1'), Buffer.from('22')], 2));
    const parts = [Buffer.alloc(2), Buffer.alloc(3)];
    log(fs.readvSync(fd, parts, 1), parts.map(String));
    fs.ftruncateSync(fd, 3);
    log(fs.fstatSync(fd).size, fs.readFileSync(`${dir}/a`, 'utf8'));
    fs.closeSync(fd);
  },
  'appending goes to the end, whatever the position': (dir, log) => {
    const a = fs.openSync(`${dir}/a`, 'a');
    const b = fs.openSync(`${dir}/a`, 'a+');
    fs.writeSync(a, 'one ');
    fs.writeSync(b, 'two ', 0);
    fs.writeSync(a, 'three');
    log(fs.readFileSync(b, 'utf8'), fs.readFileSync(`${dir}/a`, 'utf8'));
    attempt(log, () => fs.readSync(a, Buffer.alloc(1)));
    fs.closeSync(a);
    fs.closeSync(b);
  },
  'a file that is removed stays while it is open': (dir, log) => {
    fs.writeFileSync(`${dir}/a`, 'text');
    const fd = fs.openSync(`${dir}/a`, 'r+');
    fs.unlinkSync(`${dir}/a`);
    log(fs.fstatSync(fd).nlink, fs.readFileSync(fd, 'utf8'), fs.writeSync(fd, 'more'));
    log(fs.existsSync(`${dir}/a`), fs.fstatSync(fd).size);
    fs.closeSync(fd);
  },
  'links share what is in them': (dir, log) => {
    fs.writeFileSync(`${dir}/a`, '1');
    fs.linkSync(`${dir}/a`, `${dir}/b`);
    fs.appendFileSync(`${dir}/b`, '2');
    log(fs.readFileSync(`${dir}/a`, 'utf8'), fs.statSync(`${dir}/a`).nlink);
    log(fs.statSync(`${dir}/a`).ino === fs.statSync(`${dir}/b`).ino);
    fs.renameSync(`${dir}/a`, `${dir}/b`);
    log(fs.readdirSync(dir));
    fs.unlinkSync(`${dir}/a`);
    log(fs.statSync(`${dir}/b`).nlink);
  },
  'times that are set': (dir, log) => {
    fs.writeFileSync(`${dir}/a`, '1');
    for (const time of [0, 1e9, 1234567890.123, new Date(86_400_000)]) {
      attempt(log, () => fs.utimesSync(`${dir}/a`, time, time));
      const { atimeMs, mtimeMs, mtime } = fs.statSync(`${dir}/a`);
      log(atimeMs, mtimeMs, mtime.toISOString());
    }
    const fd = fs.openSync(`${dir}/a`, 'r');
    fs.futimesSync(fd, 7, 8);
    log(fs.fstatSync(fd).mtimeMs, fs.fstatSync(fd, { bigint: true }).atimeNs);
    fs.closeSync(fd);
  },
  'times that change': (dir, log) => {
    const before = Date.now();
    fs.writeFileSync(`${dir}/a`, '1');
    const { mtimeMs, birthtimeMs } = fs.statSync(`${dir}/a`);
    log(Math.abs(mtimeMs - before) < 1000, Math.abs(birthtimeMs - before) < 1000);
    fs.utimesSync(`${dir}/a`, 1, 1);
    fs.writeFileSync(`${dir}/a`, '2');
    log(fs.statSync(`${dir}/a`).mtimeMs > 2000, fs.statSync(`${dir}/a`).atimeMs);
  },
  'modes and the mask': (dir, log) => {
    fs.writeFileSync(`${dir}/a`, '', { mode: 0o777 });
    fs.mkdirSync(`${dir}/d`, { mode: 0o700 });
    fs.chmodSync(`${dir}/a`, 0o4755);
    log(fs.statSync(`${dir}/a`).mode, fs.statSync(`${dir}/d`).mode);
    fs.writeFileSync(`${dir}/b`, '');
    log(fs.statSync(`${dir}/b`).mode);
    log(fs.statSync(fs.mkdtempSync(`${dir}/t-`)).mode);
  },
  mkdtemp: async (dir, log) => {
    const name = await promises.mkdtemp(`${dir}/tmp-`);
    log(/tmp-[a-zA-Z0-9]{6}$/.test(name), fs.readdirSync(name));
    attempt(log, () => fs.mkdtempSync(`${dir}/none/tmp-`));
  },
  'what JavaScript checks': async (dir, log) => {
    attempt(log, () => fs.readFileSync(undefined as never));
    attempt(log, () => fs.openSync(`${dir}/a\0b`, 'r'));
    attempt(log, () => fs.openSync(`${dir}/a`, 'bad' as never));
    attempt(log, () => fs.writeSync(-1, 'x'));
    attempt(log, () => fs.readFileSync(`${dir}/none`, { encoding: 'bad' as never }));
    attempt(log, () => fs.readFile(`${dir}/none`, undefined as never));
    await attempts(log, () => promises.readFile({} as never));
    attempt(log, () => fs.statSync(`${dir}/none`, { throwIfNoEntry: false }));
    attempt(log, () => fs.lstatSync(`${dir}/none/x`, { throwIfNoEntry: false }));
    await attempts(log, () => promises.readdir(dir, { recursive: 'x' as never }));
  },
  'encodings of names': (dir, log) => {
    fs.writeFileSync(`${dir}/ä€😀`, 'x');
    fs.writeFileSync(Buffer.from(`${dir}/buffer`), 'y');
    log(fs.readdirSync(dir), fs.readdirSync(dir, 'buffer').map(String));
    log(fs.readdirSync(dir, 'hex'), fs.readdirSync(dir, 'latin1'));
    fs.symlinkSync('ä€', `${dir}/l`);
    log(fs.readlinkSync(`${dir}/l`), fs.readlinkSync(`${dir}/l`, 'buffer').toString('hex'));
  },
  'reading a folder and writing through a link': (dir, log) => {
    furnish(dir);
    fs.writeFileSync(`${dir}/dangling`, 'made');
    log(fs.readFileSync(`${dir}/nowhere`, 'utf8'));
    fs.writeFileSync(`${dir}/dirlink/new`, 'x');
    log(tree(dir));
  },
  'copying a tree': async (dir, log) => {
    fs.mkdirSync(`${dir}/from`);
    furnish(`${dir}/from`);
    fs.unlinkSync(`${dir}/from/loop-a`);
    fs.unlinkSync(`${dir}/from/loop-b`);
    await attempts(log, () => promises.cp(`${dir}/from`, `${dir}/to`));
    await promises.cp(`${dir}/from`, `${dir}/to`, { recursive: true, verbatimSymlinks: true });
    log(tree(`${dir}/to`));
    await attempts(log, () =>
      promises.cp(`${dir}/from/file`, `${dir}/to/file`, { errorOnExist: true, force: false }),
    );
    await promises.cp(`${dir}/from/sub`, `${dir}/filtered`, {
      recursive: true,
      filter: (name) => !name.endsWith('one'),
    });
    log(tree(`${dir}/filtered`));
    fs.cpSync(`${dir}/from/sub`, `${dir}/sync/sub`, { recursive: true });
    log(tree(`${dir}/sync`));
    attempt(log, () => fs.cpSync(`${dir}/none`, `${dir}/x`));
    await attempts(log, () => promises.cp(`${dir}/none`, `${dir}/x`));
  },
  'two writes of one file, one after the other': async (dir, log) => {
    await promises.writeFile(`${dir}/a`, 'a long text');
    await promises.writeFile(`${dir}/a`, 'short');
    log(await promises.readFile(`${dir}/a`, 'utf8'));
    await promises.appendFile(`${dir}/a`, ' and more');
    log(await promises.readFile(`${dir}/a`, { encoding: 'utf8', flag: 'r+' }));
    await promises.writeFile(`${dir}/a`, ['x', 'y'], { flag: 'a', flush: true } as never);
    log(await promises.readFile(`${dir}/a`, 'latin1'));
  },
  'a FileHandle': async (dir, log) => {
    const handle = await promises.open(`${dir}/a`, 'w+');
    (handle as unknown as EventEmitter).on('close', () => log('close event'));
    log(await handle.write('hello'), (await handle.stat()).size);
    log((await handle.read(Buffer.alloc(5), 0, 5, 0)).bytesRead);
    await handle.appendFile(' world');
    await handle.truncate(8);
    await handle.sync();
    await handle.datasync();
    await handle.chmod(0o600);
    await handle.utimes(5, 6);
    log(shape(await handle.stat()), (await handle.stat()).mtimeMs);
    log((await handle.writev([Buffer.from('x')], 0)).bytesWritten);
    log((await handle.readv([Buffer.alloc(3), Buffer.alloc(9)], 0)).bytesRead);
    await handle.close();
    log(handle.fd);
    await attempts(log, () => handle.read(Buffer.alloc(1)));
    const again = await promises.open(`${dir}/a`);
    log(await again.readFile('utf8'));
    for await (const line of again.readLines({ start: 0, autoClose: false })) log(line);
    await again.close();
  },
  'a stream that writes': async (dir, log) => {
    const stream = fs.createWriteStream(`${dir}/a`, { highWaterMark: 4 });
    for (const event of ['open', 'ready', 'drain', 'finish', 'close', 'pipe']) {
      stream.on(event, () => log(event, stream.bytesWritten));
    }
    log(stream.write('hello'), stream.write('world'));
    stream.end('!');
    await new Promise<void>((resolve) => stream.on('close', () => resolve()));
    log(fs.readFileSync(`${dir}/a`, 'utf8'));
  },
  'a stream that reads': async (dir, log) => {
    fs.writeFileSync(`${dir}/a`, 'abcdefghij');
    const stream = fs.createReadStream(`${dir}/a`, {
      encoding: 'utf8',
      highWaterMark: 3,
      start: 1,
      end: 8,
    });
    for (const event of ['open', 'ready', 'data', 'end', 'close']) {
      stream.on(event, (value) => log(event, typeof value === 'string' ? value : ''));
    }
    await new Promise<void>((resolve) => stream.on('close', () => resolve()));
  },
  'streams that fail': async (dir, log) => {
    const streams: (() => EventEmitter)[] = [
      () => fs.createReadStream(`${dir}/none`),
      () => fs.createReadStream(dir),
      () => fs.createWriteStream(dir),
      () => fs.createWriteStream(`${dir}/none/x`),
    ];
    for (const open of streams) {
      const stream = open();
      stream.on('data', () => log('data'));
      stream.on('open', () => log('open'));
      stream.on('error', (error) => log(told(error)));
      await new Promise<void>((resolve) => stream.on('close', () => resolve()));
      log('closed');
    }
  },
  'streams piped together': async (dir, log) => {
    fs.writeFileSync(`${dir}/a`, 'x'.repeat(200_000));
    await pipeline(fs.createReadStream(`${dir}/a`), fs.createWriteStream(`${dir}/b`));
    log(fs.statSync(`${dir}/b`).size);
    const append = fs.createWriteStream(`${dir}/b`, { flags: 'r+', start: 3 });
    append.end('yyy');
    await new Promise<void>((resolve) => append.on('close', () => resolve()));
    log(fs.readFileSync(`${dir}/b`, 'utf8').slice(0, 9));
  },
  'a Dir': async (dir, log) => {
    furnish(dir);
    const names: string[] = [];
    for await (const entry of await promises.opendir(dir)) names.push(entry.name);
    log(names.sort());
    const open = fs.opendirSync(dir, { bufferSize: 1 });
    log(open.path === dir, open.readSync() instanceof fs.Dirent);
    open.closeSync();
    attempt(log, () => open.readSync());
    await attempts(log, () => open.close());
    const below: string[] = [];
    for await (const { name, parentPath } of await promises.opendir(dir, { recursive: true })) {
      below.push(path.join(parentPath, name).replace(dir, ''));
    }
    log(below.sort());
    const callback = await promisify<string, fs.Dir>(fs.opendir as never)(dir);
    log((await callback.read()) instanceof fs.Dirent);
    await callback.close();
  },
  'watching a folder and a file': async (dir, log) => {
    fs.writeFileSync(`${dir}/a`, '1');
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
    const folder = fs.watch(dir, (event, name) => log('folder', event, name));
    const file = fs.watch(`${dir}/a`, (event, name) => log('file', event, name));
    folder.on('close', () => log('close'));
    const steps: (() => void)[] = [
      () => fs.writeFileSync(`${dir}/b`, 'x'),
      () => fs.appendFileSync(`${dir}/a`, 'y'),
      () => fs.chmodSync(`${dir}/a`, 0o600),
      () => fs.renameSync(`${dir}/b`, `${dir}/c`),
      () => fs.unlinkSync(`${dir}/c`),
      () => fs.mkdirSync(`${dir}/d`),
      () => fs.rmdirSync(`${dir}/d`),
      () => fs.symlinkSync('a', `${dir}/l`),
      () => fs.renameSync(`${dir}/a`, `${dir}/z`),
      () => fs.utimesSync(`${dir}/z`, 1, 1),
    ];
    for (const step of steps) {
      step();
      await pause();
      log('-');
    }
    folder.close();
    file.close();
    await pause();
    attempt(log, () => fs.watch(`${dir}/none`));
  },
  'watching by promises': async (dir, log) => {
    const abort = new AbortController();
    const watching = (async () => {
      for await (const { eventType, filename } of promises.watch(dir, { signal: abort.signal })) {
        log(eventType, filename);
      }
    })().catch((error: Error) => log(error.name));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await promises.mkdir(`${dir}/a`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort();
    await watching;
  },
  watchFile: async (dir, log) => {
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));
    const seen = (now: fs.Stats, before: fs.Stats): void => log(now.size, before.size, now.nlink);
    fs.watchFile(`${dir}/a`, { interval: 20 }, seen);
    await pause();
    fs.writeFileSync(`${dir}/a`, '12');
    await pause();
    fs.writeFileSync(`${dir}/a`, '1234');
    await pause();
    fs.unlinkSync(`${dir}/a`);
    await pause();
    fs.unwatchFile(`${dir}/a`);
    fs.writeFileSync(`${dir}/a`, '1');
    await pause();
  },
  'callbacks come in a turn of their own': async (dir, log) => {
    await new Promise<void>((resolve) => {
      fs.stat(dir, () => {
        log('callback');
        process.nextTick(() => log('tick'));
        queueMicrotask(() => log('microtask'));
        setImmediate(() => (log('immediate'), resolve()));
      });
      process.nextTick(() => log('tick before'));
      queueMicrotask(() => log('microtask before'));
    });
  },
  'an aborted read and write': async (dir, log) => {
    fs.writeFileSync(`${dir}/a`, 'x');
    const abort = new AbortController();
    abort.abort();
    await attempts(log, () => promises.readFile(`${dir}/a`, { signal: abort.signal }));
    await attempts(log, () => promises.writeFile(`${dir}/b`, 'x', { signal: abort.signal }));
    log(fs.readdirSync(dir));
  },
  'directories that are in use': (dir, log) => {
    furnish(dir);
    attempt(log, () => fs.renameSync(`${dir}/sub`, `${dir}/sub/deep/in`));
    attempt(log, () => fs.renameSync(`${dir}/sub/deep`, `${dir}/sub`));
    attempt(log, () => fs.renameSync(`${dir}/sub/deep`, `${dir}/empty`));
    attempt(log, () => fs.rmdirSync(`${dir}/sub`));
    attempt(log, () => fs.rmdirSync('/'));
    attempt(log, () => fs.unlinkSync(`${dir}/sub`));
    attempt(log, () => fs.linkSync(`${dir}/sub`, `${dir}/sub2`));
    log(tree(dir));
  },
  'relative paths': (dir, log) => {
    const at = path.relative(process.cwd(), dir);
    fs.writeFileSync(`${at}/a`, 'relative');
    log(fs.readFileSync(`${dir}/a`, 'utf8'), fs.realpathSync.native(at) === fs.realpathSync(dir));
    attempt(log, () => fs.readFileSync(`${at}/none`));
  },
  '/dev/null': (_dir, log) => {
    fs.writeFileSync('/dev/null', 'x');
    log(fs.readFileSync('/dev/null', 'utf8'), fs.statSync('/dev/null').isCharacterDevice());
  },
} satisfies Record<string, Scenario>);

scenarios['a working directory of its own'] = (dir, log) => {
  const before = process.cwd();
  fs.mkdirSync(`${dir}/a/b`, { recursive: true });
  fs.symlinkSync('a/b', `${dir}/link`);
  fs.writeFileSync(`${dir}/file`, '');
  try {
    process.chdir(`${dir}/link`);
    log(path.relative(dir, process.cwd()), path.relative(dir, path.resolve('x')));
    fs.writeFileSync('x', 'written');
    process.chdir('..');
    log(fs.readFileSync('b/x', 'utf8'), fs.readdirSync('.'), fs.realpathSync('b/..'));
    for (const wrong of ['nowhere', '../file', '']) {
      attempt(log, () => process.chdir(wrong));
    }
    attempt(log, () => process.chdir(5 as never));
  } finally {
    process.chdir(before);
  }
};
