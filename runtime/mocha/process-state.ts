/**
 * What a trial may change of the process, and how it is put back.
 *
 * The state that trials start from is the one after mocha, `--require` packages and detsim itself
 * have been loaded. What a package does while it is loaded later, in the middle of a trial, stays:
 * packages are loaded once, so what they define on globals and prototypes belongs to every trial.
 */

import { createRequire, syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { renewDispatchers } from '../node/http/undici.js';
import { pristine } from '../node/pristine.js';

// A program may have broken any builtin by the time that it is put back.
const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect;
const { is, keys: enumerableKeys } = Object;

/** Objects whose own properties tests replace or add. Looked up late: some are virtual by then. */
function watchedObjects(modules: readonly object[]): object[] {
  const objects = [globalThis, process, console, Math, JSON, Reflect, performance];
  const classes: { prototype: object }[] = [
    ...[Object, Function, Array, String, Number, Boolean, Symbol, Promise, Error, TypeError],
    ...[RegExp, Date, Map, Set, WeakMap, URL, Buffer, AbortController, EventTarget],
  ];
  return [...objects, ...classes, ...classes.map((one) => one.prototype), ...modules];
}

const MODULES = ['timers', 'timers/promises', 'fs', 'fs/promises', 'crypto', 'os', 'http', 'https']
  .concat(['net', 'dns', 'child_process', 'events', 'util', 'path'])
  .map((name) => `node:${name}`);

/** An object whose own properties are watched. */
interface Watched {
  readonly object: object;
  /** By key; without a prototype. */
  readonly descriptors: Record<PropertyKey, PropertyDescriptor>;
  /** The quick look: whether all data properties have the values they had. */
  unchanged: () => boolean;
  /** How many enumerable properties there are: new ones are looked for only where that differs. */
  count: number;
}

export class ProcessState {
  private readonly watched: Watched[];
  private readonly modules: ReadonlySet<object>;
  private inTrial = false;
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
    watchEnvironment();
    this.watched = watchedObjects(modules).map((object) => this.watch(object));
  }

  /** A trial begins. */
  begin(): void {
    this.cwd = pristine.cwd();
    this.exitCode = process.exitCode;
    this.title = process.title;
    this.argv = [...process.argv];
    this.listeners = listenersNow();
    for (const event of PER_TRIAL_EVENTS) process.removeAllListeners(event);
    this.inTrial = true;
    changedEnv = new Map();
  }

  /** A trial has ended: puts everything back. */
  restore(): void {
    this.inTrial = false;
    const { watched } = this;
    for (let i = 0; i < watched.length; i++) {
      if (differs(watched[i])) this.repair(watched[i]);
    }
    const changed = changedEnv!;
    changedEnv = undefined;
    for (const [name, value] of changed) setEnv(process.env, name, value);
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
    if (!this.inTrial) return work();
    this.inTrial = false;
    const changed = changedEnv;
    changedEnv = undefined;
    const before = this.watched.map(valuesOf);
    const listeners = listenersNow();
    try {
      return work();
    } finally {
      this.inTrial = true;
      changedEnv = changed;
      this.watched.forEach((watched, i) => this.absorb(watched, before[i]));
      for (const [event, now] of listenersNow()) {
        const added = now.filter((one) => !listeners.get(event)?.includes(one));
        this.listeners.set(event, [...(this.listeners.get(event) ?? []), ...added]);
      }
    }
  }

  // ---- properties ------------------------------------------------------------------------------

  private watch(object: object): Watched {
    const watched: Watched = {
      object,
      descriptors: Object.create(null) as Watched['descriptors'],
      unchanged: () => true,
      count: 0,
    };
    for (const key of ownKeys(object)) {
      if (!this.isLeft(object, key)) {
        watched.descriptors[key] = getOwnPropertyDescriptor(object, key)!;
      }
    }
    summarize(watched);
    return watched;
  }

  private repair(watched: Watched): void {
    const { object, descriptors } = watched;
    const now = ownKeys(object);
    let changed = false;
    for (let i = 0; i < now.length; i++) {
      if (now[i] in descriptors || this.isLeft(object, now[i])) continue;
      changed = deleteProperty(object, now[i]) || changed;
    }
    const then = ownKeys(descriptors);
    for (let i = 0; i < then.length; i++) {
      const descriptor = descriptors[then[i]];
      if (sameProperty(getOwnPropertyDescriptor(object, then[i]), descriptor)) continue;
      changed = defineProperty(object, then[i], descriptor) || changed;
    }
    if (object === globalThis) {
      restoreSetters();
      // What is put back may be a dispatcher with the connections of an earlier trial.
      renewDispatchers();
    }
    watched.count = enumerableKeys(object).length;
    if (changed && this.modules.has(object)) syncBuiltinESMExports();
  }

  /** What has changed since `before` is the state of every trial from now on. */
  private absorb(watched: Watched, before: ReadonlyMap<PropertyKey, unknown>): void {
    const { object, descriptors } = watched;
    let changed = false;
    for (const key of ownKeys(object)) {
      if (this.isLeft(object, key)) continue;
      const descriptor = getOwnPropertyDescriptor(object, key)!;
      if (before.has(key) && is(before.get(key), valueOf(descriptor))) continue;
      descriptors[key] = descriptor;
      changed = true;
    }
    for (const key of before.keys()) {
      if (!Object.hasOwn(object, key)) changed = deleteProperty(descriptors, key) || changed;
    }
    if (changed) summarize(watched);
  }

  /** What mocha defines anew in every trial; the process's listeners are compared one by one. */
  private isLeft(object: object, key: PropertyKey): boolean {
    if (object === process) return LISTENER_KEYS.has(key);
    return object === globalThis && this.ownGlobals.has(key);
  }

  // ---- listeners ---------------------------------------------------------------

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

/** Globals with a setter that replaces what the getter returns. */
const SETTERS = { process, Buffer, performance };

function restoreSetters(): void {
  for (const [name, value] of Object.entries(SETTERS)) {
    if (Reflect.get(globalThis, name) !== value) Reflect.set(globalThis, name, value);
  }
}

const LISTENER_KEYS = new Set<PropertyKey>(['_events', '_eventsCount', '_maxListeners']);

function differs({ object, unchanged, count }: Watched): boolean {
  return !unchanged() || enumerableKeys(object).length !== count;
}

/**
 * The quick look is compiled for each object, so that the engine sees every property at a place of
 * its own: a tenth of the time of a loop over the keys.
 */
function summarize(watched: Watched): void {
  const { object, descriptors } = watched;
  watched.count = enumerableKeys(object).length;
  const names: string[] = [];
  const values: unknown[] = [];
  for (const key of Object.keys(descriptors)) {
    const descriptor = descriptors[key];
    const fixed = !descriptor.writable && !descriptor.configurable;
    if (!('value' in descriptor) || fixed || Number.isNaN(descriptor.value)) continue;
    names.push(key);
    values.push(descriptor.value);
  }
  if (object === globalThis) {
    names.push(...Object.keys(SETTERS));
    values.push(...Object.values(SETTERS));
  }
  const tests = names.map((name, i) => `o[${JSON.stringify(name)}] === v[${i}]`);
  const make = new Function('o', 'v', `return () => ${['true', ...tests].join('\n&& ')}`);
  watched.unchanged = make(object, values) as () => boolean;
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
  return now !== undefined && is(valueOf(now), valueOf(then)) && now.set === then.set;
}

function listenersNow(): Map<string | symbol, readonly Function[]> {
  return new Map(process.eventNames().map((event) => [event, process.rawListeners(event)]));
}

/** Environment variables that the trial has changed, with what they were. */
let changedEnv: Map<string, string | undefined> | undefined;
let environmentWatched = false;

/** Puts an environment in place that notes what is changed, once a process. */
function watchEnvironment(): void {
  if (environmentWatched) return;
  environmentWatched = true;
  const { env } = process;
  const note = (key: string | symbol): void => {
    if (changedEnv === undefined || typeof key !== 'string' || changedEnv.has(key)) return;
    changedEnv.set(key, env[key]);
  };
  process.env = new Proxy(env, {
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

function setEnv(env: NodeJS.ProcessEnv, name: string, value: string | undefined): void {
  if (value === undefined) delete env[name];
  else env[name] = value;
}

function asListener(listener: Function): (...args: any[]) => void {
  return listener as (...args: any[]) => void;
}
