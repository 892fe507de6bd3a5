/**
 * The files of one host: the tree, what is open, and the disk beneath with its faults.
 *
 * Everything here acts at once. When an operation acts, and how its outcome reaches the program, is
 * the business of the binding. What a crash leaves is decided in `losePower`.
 */

import fs from 'node:fs';
import { Kind } from '../../kernel/choice.js';
import { finish, hashString, mix } from '../../kernel/hash.js';
import type { Simulation } from '../../kernel/simulation.js';
import { Source } from '../../kernel/source.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import type { Task } from '../../tasks/task.js';
import { currentHost, type Host } from '../host.js';
import { pristine } from '../pristine.js';
import { Content, type ContentHolder } from './content.js';
import { Descriptors } from './descriptors.js';
import { failure } from './failure.js';
import { fileTime, realFileTime, type FileTime } from './file-time.js';
import {
  Directory,
  RegularFile,
  S_IFDIR,
  S_IFLNK,
  S_IFREG,
  Special,
  SymbolicLink,
  type Beneath,
  type Happening,
  type Inode,
} from './inode.js';
import { Journal } from './journal.js';
import { LiveFaults } from './live-faults.js';
import { RealDisk } from './real-disk.js';
import { Tree } from './tree.js';

/** Above the numbers of inodes on real disks. */
const FIRST_INODE = 2 ** 40;

const { getuid, getgid, getgroups } = process;
const umask = process.umask.bind(process) as () => number;

/** Where the program of a host has gone by `process.chdir`. It ends with the process. */
export class WorkingDirectory {
  path: string | undefined;
}

/** Where relative paths of the host that runs begin. */
export function workingDirectory(scheduler: Scheduler): string {
  return currentHost(scheduler).part(WorkingDirectory).path ?? pristine.cwd();
}

export class FileSystem implements ContentHolder, Beneath {
  /** A disk outlives the process; see `HostPart`. */
  static readonly durable = true;
  readonly scheduler: Scheduler;
  readonly tree: Tree;
  readonly descriptors = new Descriptors();
  readonly faults: LiveFaults;
  readonly simulation: Simulation;
  /** How many bytes of files the simulation has added to the disk. */
  used = 0;
  /** Counts changes that anybody who polls a file could see. */
  private readonly pollers = new Set<() => void>();
  private readonly journal = new Journal();
  private readonly unsynced = new Set<Content>();
  private readonly real = new RealDisk();
  private inodes = 0;
  private readonly counts = new Map<Kind, number>();
  private crashes = 0;
  private source: Source | undefined;
  private quick: { readonly task: Task; readonly is: boolean } | undefined;

  constructor(readonly host: Host) {
    const { scheduler } = host;
    this.scheduler = scheduler;
    this.faults = new LiveFaults(host);
    const { loop } = scheduler;
    this.simulation = {
      loop,
      get root() {
        return scheduler.scope.task;
      },
      log: undefined,
      onHeal: () => undefined,
    };
    const root = this.find('/') as Directory;
    const user = { uid: getuid?.() ?? 0, gid: getgid?.() ?? 0, groups: getgroups?.() ?? [] };
    this.tree = new Tree(root, user, () => workingDirectory(scheduler));
  }

  get now(): FileTime {
    return fileTime(currentHost(this.scheduler));
  }

  // ---- inodes ----------------------------------------------------------------------------------

  find(path: string): Inode | undefined {
    const entry = this.real.find(path);
    if (entry === undefined) return undefined;
    const { mode, uid, gid, size, number } = entry;
    const time = realFileTime;
    switch (mode & fs.constants.S_IFMT) {
      case S_IFDIR:
        return new Directory(number, mode, uid, gid, time, this, path);
      case S_IFLNK:
        return new SymbolicLink(number, uid, gid, time, this.real.readLink(path));
      case S_IFREG: {
        const content = new Content(this, path, {
          size,
          load: () => this.real.read(path),
        });
        return new RegularFile(number, mode, uid, gid, time, content);
      }
      default:
        return new Special(number, mode, uid, gid, time, path);
    }
  }

  list(path: string): readonly string[] {
    return this.real.list(path);
  }

  newFile(mode: number): RegularFile {
    const { uid, gid } = this.tree.user;
    const number = this.nextInode();
    // Not its path: programs put numbers into names that count on from trial to trial.
    const content = new Content(this, `file.${this.inodes}`);
    return new RegularFile(number, this.masked(mode), uid, gid, this.now, content);
  }

  newDirectory(mode: number): Directory {
    const { uid, gid } = this.tree.user;
    const { now } = this;
    return new Directory(this.nextInode(), this.masked(mode), uid, gid, now, this, undefined);
  }

  newLink(target: string): SymbolicLink {
    const { uid, gid } = this.tree.user;
    return new SymbolicLink(this.nextInode(), uid, gid, this.now, target);
  }

  /**
   * Six characters that make the name of a temporary folder: of the task and the place that ask,
   * and not of the seed, so that errors which name it read the same in every trial.
   */
  suffix(): string {
    const { loop, current } = this.scheduler;
    const key = mix(mix(current.task.hash, current.site.hash), SUFFIX);
    const draw = mix(key, loop.ordinal(key >>> 1));
    let suffix = '';
    for (let i = 0; i < 2; i++) {
      let word = finish(mix(draw, i)) >>> 0;
      for (let j = 0; j < 3; j++) {
        suffix += LETTERS[word % LETTERS.length];
        word = Math.floor(word / LETTERS.length);
      }
    }
    return suffix;
  }

  private nextInode(): number {
    return FIRST_INODE + ++this.inodes;
  }

  private masked(mode: number): number {
    return mode & ~umask() & 0o7777;
  }

  // ---- entries ---------------------------------------------------------------------------------

  /** Enters an inode where nothing is. */
  enter(directory: Directory, name: string, inode: Inode): void {
    const before = { parent: inode.parent, name: inode.name };
    directory.set(name, inode);
    inode.parent = directory;
    inode.name = name;
    if (inode instanceof Directory) directory.nlink++;
    this.changed([directory], inode, () => {
      directory.set(name, undefined);
      Object.assign(inode, before);
      if (inode instanceof Directory) directory.nlink--;
      else inode.nlink--;
    });
    notice(directory, 'create', name);
  }

  /** Takes an entry out. */
  remove(directory: Directory, name: string, inode: Inode): void {
    directory.set(name, undefined);
    const isDirectory = inode instanceof Directory;
    if (isDirectory) {
      directory.nlink--;
      inode.nlink = 0;
    } else inode.nlink--;
    inode.ctime = this.now;
    this.changed([directory], inode, () => {
      directory.set(name, inode);
      if (isDirectory) {
        directory.nlink++;
        inode.nlink = 2;
      } else inode.nlink++;
    });
    if (!isDirectory) notice(inode, 'attributes', undefined);
    if (inode.nlink === 0) this.gone(inode);
    notice(directory, 'delete', name);
  }

  /** Moves an entry, over another one where there is one, as one change. */
  move(from: Directory, name: string, to: Directory, newName: string, over?: Inode): void {
    const inode = from.get(name)!;
    const isDirectory = inode instanceof Directory;
    from.set(name, undefined);
    to.set(newName, inode);
    inode.parent = to;
    inode.name = newName;
    inode.ctime = this.now;
    const links = isDirectory && from !== to ? 1 : 0;
    from.nlink -= links;
    to.nlink += links;
    if (over instanceof Directory) {
      to.nlink--;
      over.nlink = 0;
    } else if (over !== undefined) {
      over.nlink--;
      over.ctime = this.now;
    }
    this.changed(from === to ? [from] : [from, to], inode, () => {
      to.set(newName, over);
      from.set(name, inode);
      inode.parent = from;
      inode.name = name;
      from.nlink += links;
      to.nlink -= links;
      if (over instanceof Directory) {
        to.nlink++;
        over.nlink = 2;
      } else if (over !== undefined) over.nlink++;
    });
    notice(from, 'moved from', name);
    notice(to, 'moved to', newName);
    if (over !== undefined && !(over instanceof Directory)) notice(over, 'attributes', undefined);
    notice(inode, 'move self', undefined);
    if (over?.nlink === 0) this.gone(over);
  }

  private changed(directories: Directory[], inode: Inode, undo: () => void): void {
    const { now } = this;
    for (const directory of directories) directory.mtime = directory.ctime = now;
    this.journal.add({ time: this.scheduler.loop.now, directories, inode, undo });
    this.poll();
  }

  /** Nothing leads to it any more: its watchers hear of its end and of theirs. */
  private gone(inode: Inode): void {
    notice(inode, 'delete self', undefined);
    notice(inode, 'ignored', undefined);
  }

  /** What is in a file, or known of an inode, has changed. */
  noticeChange(inode: Inode, happening: 'modify' | 'attributes'): void {
    if (inode.parent !== undefined) notice(inode.parent, happening, inode.name);
    notice(inode, happening, undefined);
    this.poll();
  }

  // ---- those who poll --------------------------------------------------------------------------

  addPoller(poller: () => void): void {
    this.pollers.add(poller);
  }

  removePoller(poller: () => void): void {
    this.pollers.delete(poller);
  }

  private poll(): void {
    for (const poller of this.pollers) poller();
  }

  // ---- durability ------------------------------------------------------------------------------

  dirty(content: Content): void {
    this.unsynced.add(content);
  }

  clean(content: Content): void {
    this.unsynced.delete(content);
  }

  grew(by: number): void {
    this.used += by;
  }

  /** Makes a file or directory, and the entries that lead to it, safe from a crash. */
  sync(inode: Inode): void {
    if (this.strikes(Kind.SkipSync, this.faults.skipSync)) return;
    if (inode instanceof RegularFile) inode.content.sync();
    this.journal.sync(inode);
  }

  /** The power goes: what was not synced is there or not, and files stay open. */
  losePower(): void {
    const { loop } = this.scheduler;
    const crash = ++this.crashes;
    const source = this.sourceNow();
    const loss = LOSSES[Math.floor(loop.draw(Kind.Place, source, crash) * LOSSES.length)];
    const lost = this.journal.losePower(loop.now, (number) =>
      loop.strikes(Kind.Lose, source, number, loss),
    );
    const unsynced = [...this.unsynced];
    for (const content of unsynced) content.losePower(crash);
    if (lost + unsynced.length > 0) this.poll();
  }

  /** The machine goes down: as {@link losePower}, and nothing is open any more. */
  crash(): void {
    this.losePower();
    this.processEnded();
  }

  /** The process ends: nothing is open, and nobody watches. */
  processEnded(): void {
    this.descriptors.closeAll();
    this.pollers.clear();
  }

  /** Whether the power fails at a place where the program says that it may. */
  powerFails(): boolean {
    return this.strikes(Kind.Crash, POWER_FAILS);
  }

  sourceOf(name: string): Source {
    return this.scoped(`disk/${this.host.name}/${name}`);
  }

  /** A source whose choices belong to the test that runs when they are made. */
  private scoped(name: string): Source {
    const { scheduler } = this;
    let source: Source | undefined;
    const present = (): Source => {
      const { task } = scheduler.scope;
      if (source?.task !== task) source = new Source(task, name);
      return source;
    };
    return {
      name,
      hash: hashString(name),
      position: () => name,
      get task() {
        return present().task;
      },
      get base() {
        return present().base;
      },
    };
  }

  private sourceNow(): Source {
    return (this.source ??= this.scoped(`disk/${this.host.name}`));
  }

  // ---- faults ----------------------------------------------------------------------------------

  /** Whether a fault strikes that could now. */
  private strikes(kind: Kind, rate: number): boolean {
    if (rate <= 0) return false;
    const { loop } = this.scheduler;
    const source = this.sourceNow();
    // Counted anew in each test: it goes the same way when it is run alone.
    const number = loop.ordinal(mix(source.base, kind) >>> 1);
    this.counts.set(kind, number);
    return loop.strikes(kind, source, number, rate);
  }

  /** Fails with EIO when the disk does. */
  mayFail(): void {
    if (this.strikes(Kind.IoError, this.faults.ioError)) throw failure('EIO');
  }

  /** Fails with EIO when the medium cannot be read. What is on the real disk always can. */
  mayRead(inode: Inode): void {
    if (inode instanceof RegularFile && inode.content.untouched) return;
    if (this.strikes(Kind.ReadError, this.faults.readError)) throw failure('EIO');
  }

  /** Fails with ENOSPC when the disk is full, or a fault says so. */
  mayGrow(by: number): void {
    if (this.strikes(Kind.NoSpace, this.faults.noSpace)) throw failure('ENOSPC');
    if (by > 0 && this.used + by > this.faults.maxSize) throw failure('ENOSPC');
  }

  /** Whether the disk moves bytes faster than most: one choice for each test. */
  isQuick(): boolean {
    const { task } = this.scheduler.scope;
    if (this.quick?.task !== task) this.quick = { task, is: this.strikes(Kind.Quick, QUICK_RATE) };
    return this.quick.is;
  }

  /** How many bytes are moved of so many that could be. */
  moved(length: number): number {
    if (length < 2 || !this.strikes(Kind.Short, this.faults.short)) return length;
    const number = this.counts.get(Kind.Short)!;
    const place = this.scheduler.loop.draw(Kind.Place, this.sourceNow(), -number);
    return 1 + Math.floor(place * (length - 1));
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Tells the count of suffixes from those of choices. */
const SUFFIX = hashString('mkdtemp');
/** How often a disk is a quick one. */
const QUICK_RATE = 0.25;
/** How often the power fails where it may. */
const POWER_FAILS = 0.5;
/** How much of what is not synced a crash loses; each crash draws one of them. */
const LOSSES = [0, 0.1, 0.5, 0.9, 1];

function notice(inode: Inode, happening: Happening, name: string | undefined): void {
  if (inode.watchers === undefined) return;
  for (const watcher of inode.watchers) watcher.noticed(happening, name);
}
