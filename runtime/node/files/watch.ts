/**
 * `fs.watch`: Node's own watchers, on handles whose start and end are replaced.
 *
 * As inotify does, every change is an event for those who watch what has changed, or the directory
 * it is in; one that equals the last one in the queue adds nothing. How long it takes until a
 * program hears of them is a choice; their order is kept. A watcher keeps no program alive.
 */

import { basename } from 'node:path';
import { Kind } from '../../kernel/choice.js';
import { QueuedEvent } from '../../kernel/event-queue.js';
import { NODE } from '../../kernel/rung.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import type { Host } from '../host.js';
import { VirtualEvent } from '../virtual-event.js';
import { siteOfCall } from '../operation.js';
import { filesNow, nodeBinding } from './binding.js';
import { encoded, textOf } from './calls.js';
import { SystemFailure } from './failure.js';
import type { FileSystem } from './file-system.js';
import { Directory, type Happening, type Inode, type Watcher } from './inode.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;
type ChangeName = 'rename' | 'change';

/** Node's handle, as its JavaScript sets it up. */
interface Handle {
  onchange(status: number, event: ChangeName, name: string | Buffer): void;
}

/** From a change until the program hears of it, in nanoseconds. */
const LEAST = 25e3;

interface Noticed {
  readonly watch: Watch;
  readonly happening: Happening;
  readonly name: string;
}

/** What the watchers of one host are still to hear, in order: a process has one such queue. */
class Notifications extends QueuedEvent {
  private queue: Noticed[] = [];
  private delay = 0;
  private pending = false;
  private held = false;
  private readonly release = (): number => {
    this.scheduler.loop.schedule(1, this);
    return this.due;
  };
  private readonly scheduler: Scheduler;

  constructor({ scheduler }: Host) {
    super();
    this.scheduler = scheduler;
  }

  add(noticed: Noticed): void {
    const last = this.queue.at(-1);
    const { watch, happening, name } = noticed;
    if (last?.watch === watch && last.happening === happening && last.name === name) return;
    this.queue.push(noticed);
    if (this.pending) return;
    this.pending = true;
    const { loop } = this.scheduler;
    const { task, site } = watch.event;
    this.delay = loop.choose(Kind.Io, NODE, task, site, Infinity, loop.now + LEAST);
    loop.schedule(LEAST + Math.max(0, this.delay), this);
  }

  run(): void {
    const { loop } = this.scheduler;
    if (this.delay < 0 && !this.held) {
      this.held = true;
      loop.hold(this.delay, this.release);
      return;
    }
    this.held = false;
    // What follows was read together with it.
    this.delay = 0;
    const next = this.queue.shift();
    this.pending = this.queue.length > 0;
    if (this.pending) loop.schedule(0, this);
    if (next?.watch.closed === false) next.watch.tell(next.happening, next.name);
  }
}

class Watch implements Watcher {
  readonly event: VirtualEvent;
  closed = false;
  private readonly inode: Inode;
  private readonly ownName: string;
  private readonly notifications: Notifications;

  constructor(
    files: FileSystem,
    private readonly handle: Handle,
    path: string,
    private readonly encoding: unknown,
  ) {
    this.inode = files.tree.inode(path, true);
    this.ownName = basename(path);
    this.notifications = files.host.part(Notifications);
    this.event = new VirtualEvent(files.scheduler, siteOfCall(files.scheduler), 'FSEVENTWRAP');
    (this.inode.watchers ??= new Set()).add(this);
  }

  noticed(happening: Happening, name: string | undefined): void {
    if (name !== undefined && !(this.inode instanceof Directory)) return;
    this.notifications.add({ watch: this, happening, name: name ?? this.ownName });
  }

  tell(happening: Happening, name: string): void {
    const event = happening === 'modify' || happening === 'attributes' ? 'change' : 'rename';
    this.event.run(() => this.handle.onchange(0, event, encoded(name, this.encoding)));
  }

  close(): void {
    this.closed = true;
    this.inode.watchers?.delete(this);
    this.event.destroy();
  }
}

const watches = new WeakMap<object, Watch>();

export function installWatch(): void {
  const binding = nodeBinding('fs_event_wrap');
  const FSEvent = binding?.FSEvent as { prototype: Record<string, AnyFunction> } | undefined;
  if (FSEvent === undefined) return;
  const { prototype } = FSEvent;
  const { start, close } = prototype;
  prototype.start = function (this: Handle, ...args: unknown[]): unknown {
    const files = filesNow();
    if (files === undefined) return apply(start, this, args) as unknown;
    const [path, , , encoding] = args;
    try {
      watches.set(this, new Watch(files, this, textOf(path as string), encoding));
    } catch (error) {
      if (error instanceof SystemFailure) return error.errno;
      throw error;
    }
    Object.defineProperty(this, 'initialized', { value: true, configurable: true });
    return 0;
  };
  prototype.close = function (this: Handle, ...args: unknown[]): unknown {
    const watch = watches.get(this);
    if (watch === undefined) return apply(close, this, args) as unknown;
    watches.delete(this);
    Object.defineProperty(this, 'initialized', { value: false, configurable: true });
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
