/**
 * What a trial may change of the process, and how it is put back.
 *
 * The state that trials start from is the one after mocha, `--require` packages and detsim itself
 * have been loaded. What a package does while it is loaded later, in the middle of a trial, stays:
 * packages are loaded once, so what they define on globals and prototypes belongs to every trial.
 */

import { createRequire, syncBuiltinESMExports } from 'node:module';
import { pristine } from '../node/pristine.js';

const { ownKeys, getOwnPropertyDescriptor } = Reflect;

/** Builtins whose own properties tests replace or add, with their prototypes. */
const CLASSES = [
  ...[Object, Function, Array, String, Number, Boolean, Symbol, Promise, Error, TypeError, RegExp],
  ...[Date, Map, Set, WeakMap, URL, Buffer, AbortController, EventTarget],
];
const OBJECTS = [globalThis, process, console, Math, JSON, Reflect, performance];
const MODULES = ['timers', 'timers/promises', 'fs', 'fs/promises', 'crypto', 'os', 'http', 'https']
  .concat(['net', 'dns', 'child_process', 'events', 'util', 'path'])
  .map((name) => `node:${name}`);

/** An object whose own properties are watched. */
interface Watched {
  readonly object: object;
  /** Data properties and their values, for the quick look. */
  keys: PropertyKey[];
  values: unknown[];
  /** How many own properties there are. */
  count: number;
  descriptors: Map<PropertyKey, PropertyDescriptor>;
}

export class ProcessState {
  private readonly watched: Watched[];
  private readonly modules: ReadonlySet<object>;
  /** Environment variables that a trial has changed, with what they were. */
  private readonly changedEnv = new Map<string, string | undefined>();
  private recording = false;
  private cwd = '';
  private exitCode: typeof process.exitCode;
  private title = '';
  private argv: string[] = [];
  private listeners = new Map<string | symbol, readonly Function[]>();

  /** @param ownGlobals names that mocha's interface defines anew in every trial */
  constructor(private readonly ownGlobals: ReadonlySet<PropertyKey>) {
    const require = createRequire(__filename);
    const modules = MODULES.map((name) => require(name) as object);
    this.modules = new Set(modules);
    const classes = CLASSES.flatMap((c) => [c, c.prototype as object]);
    this.watched = [...OBJECTS, ...classes, ...modules].map(watch);
    const processObject = this.watched.find((w) => w.object === process)!;
    // The process's own listeners and exit code are compared one by one.
    for (const key of ['_events', '_eventsCount', '_exiting', 'env']) forget(processObject, key);
    process.env = this.watchEnv(process.env);
  }

  /** A trial begins. */
  begin(): void {
    this.cwd = pristine.cwd();
    this.exitCode = process.exitCode;
    this.title = process.title;
    this.argv = [...process.argv];
    this.listeners = new Map(process.eventNames().map((e) => [e, process.rawListeners(e)]));
    for (const event of PER_TRIAL_EVENTS) process.removeAllListeners(event);
    this.recording = true;
  }

  /** A trial has ended: puts everything back. */
  restore(): void {
    this.recording = false;
    for (const watched of this.watched) {
      if (this.differs(watched)) this.repair(watched);
    }
    for (const [name, value] of this.changedEnv) setEnv(process.env, name, value);
    this.changedEnv.clear();
    if (pristine.cwd() !== this.cwd) pristine.chdir(this.cwd);
    if (process.exitCode !== this.exitCode) process.exitCode = this.exitCode;
    if (process.title !== this.title) process.title = this.title;
    const { argv } = this;
    if (process.argv.length !== argv.length || process.argv.some((a, i) => a !== argv[i])) {
      process.argv.splice(0, Infinity, ...argv);
    }
    this.restoreListeners();
  }

  /** Runs work whose effects on the process stay: the loading of a package. */
  keep<T>(work: () => T): T {
    if (!this.recording) return work();
    this.recording = false;
    const before = this.watched.map(valuesOf);
    try {
      return work();
    } finally {
      this.recording = true;
      this.watched.forEach((watched, i) => this.absorb(watched, before[i]));
    }
  }

  // ---- properties ------------------------------------------------------------------------------

  private differs({ object, keys, values, count }: Watched): boolean {
    for (let i = 0; i < keys.length; i++) {
      if (!Object.is((object as Record<PropertyKey, unknown>)[keys[i]], values[i])) return true;
    }
    return ownKeys(object).length !== count;
  }

  private repair(watched: Watched): void {
    const { object, descriptors } = watched;
    let changed = false;
    for (const key of ownKeys(object)) {
      if (descriptors.has(key) || this.isOwn(object, key)) continue;
      changed = Reflect.deleteProperty(object, key) || changed;
    }
    for (const [key, descriptor] of descriptors) {
      if (sameProperty(getOwnPropertyDescriptor(object, key), descriptor)) continue;
      changed = Reflect.defineProperty(object, key, descriptor) || changed;
    }
    watched.count = ownKeys(object).length;
    if (changed && this.modules.has(object)) syncBuiltinESMExports();
  }

  /** What has changed since `before` is the state of every trial from now on. */
  private absorb(watched: Watched, before: ReadonlyMap<PropertyKey, unknown>): void {
    const { object, descriptors } = watched;
    let changed = false;
    for (const key of ownKeys(object)) {
      if (this.isOwn(object, key)) continue;
      const descriptor = getOwnPropertyDescriptor(object, key)!;
      if (before.has(key) && Object.is(before.get(key), valueOf(descriptor))) continue;
      descriptors.set(key, descriptor);
      changed = true;
    }
    for (const key of before.keys()) {
      if (!Object.hasOwn(object, key)) changed = descriptors.delete(key) || changed;
    }
    if (changed) Object.assign(watched, summaryOf(object, descriptors));
  }

  private isOwn(object: object, key: PropertyKey): boolean {
    return object === globalThis && this.ownGlobals.has(key);
  }

  // ---- environment and listeners ---------------------------------------------------------------

  /** The environment, with a note of what a trial changes. */
  private watchEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const note = (key: string | symbol): void => {
      if (!this.recording || typeof key !== 'string' || this.changedEnv.has(key)) return;
      this.changedEnv.set(key, env[key]);
    };
    return new Proxy(env, {
      set: (_, key, value) => {
        note(key);
        return Reflect.set(env, key, value);
      },
      deleteProperty: (_, key) => {
        note(key);
        return Reflect.deleteProperty(env, key);
      },
      defineProperty: (_, key, descriptor) => {
        note(key);
        return Reflect.defineProperty(env, key, descriptor);
      },
    });
  }

  private restoreListeners(): void {
    for (const event of process.eventNames()) {
      const before = this.listeners.get(event) ?? [];
      for (const listener of process.rawListeners(event)) {
        if (!before.includes(listener)) process.removeListener(event, asListener(listener));
      }
    }
    for (const [event, before] of this.listeners) {
      const now = process.rawListeners(event);
      for (const listener of before) {
        if (!now.includes(listener)) process.on(event, asListener(listener));
      }
    }
  }
}

/** Events that belong to the trial alone while it runs: it is the whole process to its program. */
const PER_TRIAL_EVENTS = ['uncaughtException', 'unhandledRejection', 'uncaughtExceptionMonitor'];

function watch(object: object): Watched {
  const descriptors = new Map<PropertyKey, PropertyDescriptor>();
  for (const key of ownKeys(object)) descriptors.set(key, getOwnPropertyDescriptor(object, key)!);
  return { object, descriptors, ...summaryOf(object, descriptors) };
}

function summaryOf(
  object: object,
  descriptors: ReadonlyMap<PropertyKey, PropertyDescriptor>,
): Pick<Watched, 'keys' | 'values' | 'count'> {
  const data = [...descriptors].filter(([, descriptor]) => 'value' in descriptor);
  return {
    keys: data.map(([key]) => key),
    values: data.map(([, descriptor]) => descriptor.value as unknown),
    count: ownKeys(object).length,
  };
}

function forget(watched: Watched, key: PropertyKey): void {
  watched.descriptors.delete(key);
  Object.assign(watched, summaryOf(watched.object, watched.descriptors));
}

function valuesOf({ object }: Watched): Map<PropertyKey, unknown> {
  const values = new Map<PropertyKey, unknown>();
  for (const key of ownKeys(object)) {
    values.set(key, valueOf(getOwnPropertyDescriptor(object, key)!));
  }
  return values;
}

function valueOf(descriptor: PropertyDescriptor): unknown {
  return 'value' in descriptor ? descriptor.value : descriptor.get;
}

function sameProperty(now: PropertyDescriptor | undefined, then: PropertyDescriptor): boolean {
  return now !== undefined && Object.is(valueOf(now), valueOf(then)) && now.set === then.set;
}

function setEnv(env: NodeJS.ProcessEnv, name: string, value: string | undefined): void {
  if (value === undefined) delete env[name];
  else env[name] = value;
}

function asListener(listener: Function): (...args: any[]) => void {
  return listener as (...args: any[]) => void;
}
