/**
 * More programs that are run on a real disk and on the simulated one: flags of `open`, whole trees
 * with every option, owners and permissions, and what folders tell those who watch all below them.
 */

import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { attempt, attempts, furnish, promises, shape, tree, type Scenario } from './calls.js';

const { O_CREAT, O_EXCL, O_RDWR, O_TRUNC, O_APPEND, O_WRONLY, O_DIRECTORY } = fs.constants;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/** A folder without the links that lead to each other, which `cp` cannot follow. */
function furnishToCopy(dir: string): void {
  fs.mkdirSync(dir);
  furnish(dir);
  for (const name of ['loop-a', 'loop-b', 'dangling']) fs.unlinkSync(`${dir}/${name}`);
}

export const moreScenarios: Record<string, Scenario> = {
  'every flag, where a file is and where none is': async (dir, log) => {
    const flags = ['r', 'rs', 'r+', 'rs+', 'w', 'wx', 'w+', 'wx+', 'a', 'as', 'ax', 'a+', 'ax+'];
    for (const flag of [...flags, 'xa+', 'sr', O_RDWR | O_CREAT | O_EXCL, O_WRONLY | O_APPEND]) {
      for (const name of ['there', 'none']) {
        fs.rmSync(`${dir}/none`, { force: true });
        fs.writeFileSync(`${dir}/there`, 'text');
        log(flag, name);
        await attempts(log, async () => {
          const handle = await promises.open(`${dir}/${name}`, flag);
          await attempts(log, () => handle.writeFile('new'));
          await attempts(log, async () => (await handle.read(Buffer.alloc(9), 0, 9, 0)).bytesRead);
          await handle.close();
        });
        attempt(log, () => fs.readFileSync(`${dir}/${name}`, 'utf8'));
      }
    }
    log(fs.openSync(`${dir}/there`, O_TRUNC) > 0, fs.readFileSync(`${dir}/there`, 'utf8'));
    attempt(log, () => fs.openSync(`${dir}/there`, O_DIRECTORY));
    attempt(log, () => fs.openSync(`${dir}/new`, O_CREAT | O_DIRECTORY));
  },
  'flags of whole files': async (dir, log) => {
    const write = promisify(fs.writeFile);
    const append = promisify(fs.appendFile);
    const read = promisify(fs.readFile);
    await write(`${dir}/a`, 'one', { flag: 'wx', mode: 0o640 });
    await attempts(log, () => write(`${dir}/a`, 'two', { flag: 'wx' }));
    await append(`${dir}/a`, 'two', { mode: 0o600 });
    await write(`${dir}/a`, 'c3a4', { encoding: 'hex', flag: 'a' });
    await write(`${dir}/b`, new Uint16Array([258, 772]), { mode: '600' });
    log(await read(`${dir}/a`, 'utf8'), await read(`${dir}/b`), fs.statSync(`${dir}/a`).mode);
    log(fs.statSync(`${dir}/b`).mode, await read(`${dir}/new`, { flag: 'a+' }));
    await attempts(log, () => read(`${dir}/none`, { encoding: 'utf8' }));
    await attempts(log, () => append(`${dir}/none/x`, 'x'));
    await write(`${dir}/big`, Buffer.alloc(1_500_000, 'x'));
    log((await read(`${dir}/big`)).length, (await read(`${dir}/big`, 'latin1')).length);
  },
  'copying with every option': async (dir, log) => {
    furnishToCopy(`${dir}/from`);
    fs.utimesSync(`${dir}/from/file`, 1000, 2000);
    const cp = promisify(fs.cp) as typeof promises.cp;
    const from = `${dir}/from`;
    for (const copy of [promises.cp, cp]) {
      fs.rmSync(`${dir}/to`, { recursive: true, force: true });
      await copy(from, `${dir}/to`, { recursive: true, dereference: true });
      log(tree(`${dir}/to`));
      await copy(`${from}/file`, `${dir}/to/kept`, { preserveTimestamps: true });
      log(fs.statSync(`${dir}/to/kept`).mtimeMs);
      fs.writeFileSync(`${dir}/to/file`, 'other');
      await copy(from, `${dir}/to`, { recursive: true, force: false, dereference: true });
      log(fs.readFileSync(`${dir}/to/file`, 'utf8'));
      await attempts(log, () => copy(from, `${from}/sub/in-itself`, { recursive: true }));
      await attempts(log, () => copy(from, from, { recursive: true }));
      await attempts(log, () => copy(`${from}/sub`, `${dir}/to/file`, { recursive: true }));
      await attempts(log, () => copy(`${from}/file`, `${dir}/to/sub`));
      await attempts(log, () => copy(from, `${dir}/not-recursive`));
    }
  },
  'removing trees': async (dir, log) => {
    furnish(dir);
    const rm = promisify(fs.rm) as typeof promises.rm;
    await attempts(log, () => promises.rm(`${dir}/sub`));
    await attempts(log, () => rm(`${dir}/sub/none`));
    await rm(`${dir}/dirlink`, { recursive: true });
    await promises.rm(`${dir}/loop-a`);
    await attempts(log, () => promises.rmdir(`${dir}/sub`));
    log(tree(dir));
    await Promise.all([
      promises.rm(`${dir}/sub`, { recursive: true, maxRetries: 2, retryDelay: 1 }),
      rm(`${dir}/empty`, { recursive: true, force: true }),
      promises.rm(`${dir}/none`, { force: true }),
    ]);
    log(tree(dir));
  },
  'owners and permissions': async (dir, log) => {
    furnish(dir);
    const { uid, gid } = fs.statSync(dir);
    const handle = await promises.open(`${dir}/file`, 'r+');
    await handle.chmod(0o600);
    await handle.chown(uid, gid);
    await handle.utimes(3, 4);
    log(shape(await handle.stat()), (await handle.stat()).mtimeMs);
    await handle.close();
    await promises.lchown(`${dir}/link`, uid, gid);
    await promises.chown(`${dir}/link`, uid, gid);
    await promises.lutimes(`${dir}/link`, 5, 6);
    log(fs.lstatSync(`${dir}/link`).mtimeMs, fs.statSync(`${dir}/link`).mtimeMs);
    await attempts(log, () => promises.chown(`${dir}/none`, uid, gid));
    await attempts(log, () => promises.chmod(`${dir}/loop-a`, 0o600));
    await promises.chmod(`${dir}/link`, '444');
    log(fs.statSync(`${dir}/file`).mode);
    await attempts(log, () => promises.access(`${dir}/file`, fs.constants.X_OK));
    log(typeof (await promises.statfs(dir)).bsize);
  },
  'links of each kind': async (dir, log) => {
    furnish(dir);
    await promises.symlink('sub', `${dir}/typed`, 'dir');
    await promises.link(`${dir}/link`, `${dir}/linked-link`);
    log(fs.lstatSync(`${dir}/linked-link`).isSymbolicLink(), fs.readdirSync(`${dir}/typed`));
    await attempts(log, () => promises.link(`${dir}/sub`, `${dir}/no`));
    await attempts(log, () => promises.link(`${dir}/file`, `${dir}/link`));
    await attempts(log, () => promises.symlink('x', `${dir}/link`));
    await attempts(log, () => promises.readlink(`${dir}/file`));
    await attempts(log, () => promises.rename(`${dir}/sub`, `${dir}/sub/deep/x`));
    await attempts(log, () => promises.rename(`${dir}/empty`, `${dir}/sub`));
    await attempts(log, () => promises.rename(`${dir}/file`, `${dir}/empty`));
    await attempts(log, () => promises.rename(`${dir}/empty`, `${dir}/file`));
    log(await promises.realpath(`${dir}/dirlink/deep/../one`));
  },
  'temporary folders': async (dir, log) => {
    const named = /\/t-[a-zA-Z0-9]{6}$/;
    log(named.test(await promisify(fs.mkdtemp)(`${dir}/t-`)));
    log(named.test(String(await promises.mkdtemp(Buffer.from(`${dir}/t-`) as never, 'buffer'))));
    // The name that was tried is in the error.
    const error = await promises.mkdtemp(`${dir}/none/t-`).catch((e: unknown) => e);
    const { message, path: at, syscall } = error as NodeJS.ErrnoException;
    log(message.replace(/.{6}'$/, '…'), at?.slice(0, -6), named.test(at!), syscall);
    log(fs.readdirSync(dir).length);
  },
  'folders with their types, all below, and in bytes': async (dir, log) => {
    furnish(dir);
    const entries = await promises.readdir(dir, { recursive: true, withFileTypes: true });
    log(entries.map((one) => [path.join(one.parentPath, one.name), one.isFile()]).sort());
    const all = await promisify(fs.readdir as never as Listing)(dir, { recursive: true });
    log(all.sort(), (await promises.readdir(dir, 'buffer')).map(String).sort());
    await attempts(log, () => promises.readdir(`${dir}/file`, { recursive: true }));
    await attempts(log, () => promises.opendir(`${dir}/file`));
    await attempts(log, () => promises.opendir(`${dir}/none`));
    const open = await promises.opendir(dir, { encoding: 'latin1', bufferSize: 2 });
    log((await open.read())?.name !== undefined);
    await Promise.all([open.read(), open.read()]);
    await open.close();
    await attempts(log, () => open.read());
  },
  'watching all below a folder': async (dir, log) => {
    fs.mkdirSync(`${dir}/sub/deep`, { recursive: true });
    const seen = new Set<string>();
    const watcher = fs.watch(dir, { recursive: true }, (event, name) =>
      seen.add(`${event} ${name}`),
    );
    await pause();
    fs.writeFileSync(`${dir}/sub/deep/a`, '1');
    await pause();
    fs.writeFileSync(`${dir}/b`, '1');
    await pause();
    fs.unlinkSync(`${dir}/sub/deep/a`);
    await pause();
    watcher.close();
    log([...seen].sort());
  },
  'streams of a handle, and lines': async (dir, log) => {
    fs.writeFileSync(`${dir}/a`, 'one\ntwo\nthree\n');
    const handle = await promises.open(`${dir}/a`);
    const stream = handle.createReadStream({ start: 4, end: 6, autoClose: false });
    log((await stream.toArray()).map(String), handle.fd === -1);
    const lines: string[] = [];
    for await (const line of handle.readLines({ start: 0 })) lines.push(line);
    log(lines, handle.fd);
    await attempts(log, () => handle.stat());
    const writing = await promises.open(`${dir}/a`, 'r+');
    const target = writing.createWriteStream({ start: 4 });
    target.end('TWO');
    await new Promise<void>((resolve) => target.on('close', resolve));
    log(fs.readFileSync(`${dir}/a`, 'utf8'), writing.fd);
  },
};

type Listing = (
  path: string,
  options: object,
  callback: (error: Error | null, names: string[]) => void,
) => void;
