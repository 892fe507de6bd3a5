/**
 * Calls on files that are tried at many places, and what scenarios share: a furnished folder, how
 * an error is told, how a folder is listed.
 */

import fs from 'node:fs';
import path from 'node:path';

export type Log = (...values: unknown[]) => void;
export type Scenario = (dir: string, log: Log) => unknown;

/** What an error says, without its stack. */
export function told(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const {
    message,
    code,
    errno,
    syscall,
    path: at,
    dest,
  } = error as NodeJS.ErrnoException & {
    dest?: string;
  };
  return { message, code, errno, syscall, at, dest };
}

export const promises = fs.promises;
export const attempt = (log: Log, run: () => unknown): void => {
  try {
    log(run());
  } catch (error) {
    log(told(error));
  }
};
export const attempts = async (log: Log, run: () => unknown): Promise<void> => {
  try {
    log(await run());
  } catch (error) {
    log(told(error));
  }
};
export const shape = (stats: fs.Stats): unknown => [
  stats.isFile(),
  stats.isDirectory(),
  stats.isSymbolicLink(),
  stats.mode,
  stats.isDirectory() ? 0 : stats.size,
  stats.isDirectory() ? 0 : stats.nlink,
  stats.uid,
  stats.gid,
];

/** A folder with a bit of everything. */
export function furnish(dir: string): void {
  fs.writeFileSync(`${dir}/file`, 'content');
  fs.mkdirSync(`${dir}/sub/deep`, { recursive: true });
  fs.writeFileSync(`${dir}/sub/one`, '1');
  fs.writeFileSync(`${dir}/sub/deep/two`, '22');
  fs.symlinkSync('file', `${dir}/link`);
  fs.symlinkSync('sub', `${dir}/dirlink`);
  fs.symlinkSync('nowhere', `${dir}/dangling`);
  fs.symlinkSync('loop-b', `${dir}/loop-a`);
  fs.symlinkSync('loop-a', `${dir}/loop-b`);
  fs.mkdirSync(`${dir}/empty`);
}

/** Where calls are tried: what is there, what is not, and what is in the way. */
export const targets = [
  'file',
  'sub',
  'empty',
  'link',
  'dirlink',
  'dangling',
  'loop-a',
  'none',
  'file/x',
].concat(['file/', 'sub/', 'sub/..', '', `${'n'.repeat(256)}`]);

export type Named = Record<string, (at: string, dir: string) => unknown>;

/** Calls that are tried at each of the targets, by each of the three interfaces. */
export const everywhere: Named = {
  stat: (at) => shape(fs.statSync(at)),
  lstat: (at) => shape(fs.lstatSync(at)),
  readFile: (at) => fs.readFileSync(at, 'utf8'),
  'readFile as bytes': (at) => fs.readFileSync(at).toString('hex'),
  readdir: (at) => fs.readdirSync(at),
  'readdir with types': (at) =>
    fs.readdirSync(at, { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory()]),
  'readdir recursive': (at) => fs.readdirSync(at, { recursive: true }).sort(),
  readlink: (at) => fs.readlinkSync(at),
  realpath: (at, dir) => fs.realpathSync(at).replace(dir, ''),
  'realpath native': (at, dir) => fs.realpathSync.native(at).replace(dir, ''),
  access: (at) => fs.accessSync(at, fs.constants.R_OK),
  'access to run': (at) => fs.accessSync(at, fs.constants.X_OK),
  exists: (at) => fs.existsSync(at),
  open: (at) => typeof fs.openSync(at, 'r'),
  'open to write': (at) => typeof fs.openSync(at, 'w'),
  'open to make': (at) => typeof fs.openSync(at, 'wx'),
  'open to update': (at) => typeof fs.openSync(at, 'r+'),
  'open a folder': (at) => typeof fs.openSync(at, fs.constants.O_DIRECTORY),
  'open no link': (at) => typeof fs.openSync(at, fs.constants.O_NOFOLLOW),
  writeFile: (at) => fs.writeFileSync(at, 'new'),
  appendFile: (at) => fs.appendFileSync(at, 'new'),
  truncate: (at) => fs.truncateSync(at, 3),
  mkdir: (at) => fs.mkdirSync(at),
  'mkdir recursive': (at, dir) => fs.mkdirSync(at, { recursive: true })?.replace(dir, ''),
  rmdir: (at) => fs.rmdirSync(at),
  unlink: (at) => fs.unlinkSync(at),
  rm: (at) => fs.rmSync(at),
  'rm recursive': (at) => fs.rmSync(at, { recursive: true }),
  'rm force': (at) => fs.rmSync(at, { recursive: true, force: true }),
  chmod: (at) => fs.chmodSync(at, 0o640),
  utimes: (at) => fs.utimesSync(at, 1, 2),
  lutimes: (at) => fs.lutimesSync(at, 1, 2),
  'rename to': (at, dir) => fs.renameSync(`${dir}/sub/one`, at),
  'rename from': (at, dir) => fs.renameSync(at, `${dir}/sub/one`),
  'rename onto folder': (at, dir) => fs.renameSync(at, `${dir}/empty`),
  'link to': (at, dir) => fs.linkSync(`${dir}/sub/one`, at),
  'link from': (at, dir) => fs.linkSync(at, `${dir}/new`),
  'symlink at': (at) => fs.symlinkSync('target', at),
  'copy from': (at, dir) => fs.copyFileSync(at, `${dir}/new`),
  'copy to': (at, dir) => fs.copyFileSync(`${dir}/sub/one`, at),
  'copy to a new one': (at, dir) =>
    fs.copyFileSync(`${dir}/sub/one`, at, fs.constants.COPYFILE_EXCL),
};

export function tree(dir: string): unknown {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const at = path.join(entry.parentPath, entry.name);
      const text = entry.isFile() ? fs.readFileSync(at, 'utf8') : '';
      return `${at.replace(dir, '')} ${fs.lstatSync(at).mode.toString(8)} ${text}`;
    })
    .sort();
}
