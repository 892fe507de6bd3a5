/**
 * `fs.watchFile`: polling, which in a simulation happens only when something has changed.
 *
 * A look at the file that finds nothing new has no effect, so between changes there is none, and a
 * program that only waits for a change is found out. After a change on the disk the next look is at
 * the time at which libuv would have looked (`uv_fs_poll`).
 */

import { VirtualEvent } from '../virtual-event.js';
import { siteOfCall } from '../operation.js';
import { MILLISECOND } from '../../kernel/event-loop.js';
import { filesNow, nodeBinding } from './binding.js';
import { textOf } from './calls.js';
import { failure, SystemFailure } from './failure.js';
import type { FileSystem } from './file-system.js';
import type { Inode } from './inode.js';
import { writeStats } from './stats.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;
type Numbers = Float64Array | BigInt64Array;

interface Handle {
  onchange(status: number, stats: Numbers): void;
}

const FIELDS = 18;
/** How long a look takes, in nanoseconds. */
const LOOK = 20e3;

class StatWatch {
  private readonly event: VirtualEvent;
  private readonly began: number;
  private last: Numbers;
  /** The errno of the last look; undefined before the first, 0 when it found something. */
  private status: number | undefined = undefined;
  private scheduled = false;
  private closed = false;
  private readonly changed = (): void => this.schedule();

  constructor(
    private readonly files: FileSystem,
    private readonly handle: Handle,
    private readonly path: string,
    private readonly interval: number,
    private readonly bigint: boolean,
  ) {
    const { scheduler } = files;
    this.event = new VirtualEvent(scheduler, siteOfCall(scheduler), 'STATWATCHER');
    this.began = scheduler.loop.now;
    this.last = this.numbers(1);
    files.addPoller(this.changed);
    this.scheduled = true;
    scheduler.loop.after(LOOK, () => this.look());
  }

  private numbers(count: number): Numbers {
    return this.bigint ? new BigInt64Array(count * FIELDS) : new Float64Array(count * FIELDS);
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const { loop } = this.files.scheduler;
    const interval = Math.max(1, this.interval) * MILLISECOND;
    const passed = loop.now - this.began;
    loop.after(interval - (passed % interval) + LOOK, () => this.look());
  }

  private look(): void {
    this.scheduled = false;
    if (this.closed) return;
    let found: Inode | undefined;
    let status = 0;
    try {
      found = this.files.tree.inode(this.path, true);
    } catch (error) {
      if (!(error instanceof SystemFailure)) throw error;
      status = error.errno;
    }
    const now = this.numbers(1);
    writeStats(now, found);
    const before = this.status;
    const known = this.last;
    this.status = status;
    if (status === 0) this.last = now;
    if (before === undefined && status === 0) return;
    if (before === status && (status !== 0 || sameStats(known, now))) return;
    const both = this.numbers(2);
    both.set(now as never);
    both.set((before === undefined && status !== 0 ? this.numbers(1) : known) as never, FIELDS);
    this.event.run(() => this.handle.onchange(status, both));
  }

  close(): void {
    this.closed = true;
    this.files.removePoller(this.changed);
    this.event.destroy();
  }
}

/** All but the time of the last access. */
function sameStats(a: Numbers, b: Numbers): boolean {
  return a.every((value, i) => i === 10 || i === 11 || value === b[i]);
}

const watches = new WeakMap<object, StatWatch>();

export function installWatchFile(): void {
  const { StatWatcher } = nodeBinding('fs') as {
    StatWatcher: { prototype: Record<string, AnyFunction> };
  };
  const { prototype } = StatWatcher;
  const { start, close } = prototype;
  prototype.start = function (this: Handle, ...args: unknown[]): unknown {
    const files = filesNow();
    if (files === undefined) return apply(start, this, args) as unknown;
    const [path, interval] = args as [string, number];
    if (textOf(path) === '') return failure('ENOENT').errno;
    watches.set(this, new StatWatch(files, this, textOf(path), interval, usesBigint(this)));
    return 0;
  };
  prototype.close = function (this: Handle, ...args: unknown[]): unknown {
    const watch = watches.get(this);
    if (watch === undefined) return apply(close, this, args) as unknown;
    watches.delete(this);
    watch.close();
    return undefined;
  };
  for (const key of ['ref', 'unref']) {
    const real = prototype[key];
    prototype[key] = function (this: Handle): unknown {
      return watches.has(this) ? undefined : (apply(real, this, []) as unknown);
    };
  }
}

/** Node's watcher knows whether it is to give bigints; the handle leads to it. */
function usesBigint(handle: object): boolean {
  for (const key of Object.getOwnPropertySymbols(handle)) {
    const owner: unknown = Reflect.get(handle, key);
    if (typeof owner !== 'object' || owner === null) continue;
    const uses = Object.getOwnPropertySymbols(owner).find(
      (own) => own.description === 'kUseBigint',
    );
    if (uses !== undefined) return Reflect.get(owner, uses) === true;
  }
  return false;
}
