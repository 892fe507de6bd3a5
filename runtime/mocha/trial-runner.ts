/**
 * Runs a project's spec files, again and again, each time in a simulation of its own.
 *
 * What costs time is done once a worker: the test runner and the packages that it requires are
 * loaded, and the loader keeps compiled code. A trial then costs what its tests cost.
 */

import path from 'node:path';
import { Loader } from '../loader/loader.js';
import { noFaults, type Faults } from '../node/faults.js';
import { Unreachable } from '../node/sockets/unreachable.js';
import { showRealFolder } from '../node/files/real-disk.js';
import { install } from '../node/install.js';
import { pristine } from '../node/pristine.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { apart } from '../tasks/apart.js';
import { active } from '../tasks/scheduler.js';
import {
  loadMocha,
  type MochaClass,
  type MochaOptions,
  type MochaPackage,
} from './mocha-package.js';
import { interfaceNames, loadOptions } from './options.js';
import { installProcessGuard } from './process-guard.js';
import { loadAdapter } from '../runners/adapters.js';
import { AdaptedTrial } from '../runners/adapted-trial.js';
import type { AdapterName } from '../runners/names.js';
import { MochaTrial } from './mocha-trial.js';
import { ProcessState } from './process-state.js';
import { loadRequires, type Required } from './requires.js';
import { StackMapper } from './stack-mapper.js';
import type { Trial } from './trial.js';
import type { TrialOptions, TrialRequest, TrialResult } from './types.js';
import { installVirtualClock } from './virtual-clock.js';

const MAX_STEPS = 200_000;
const MAX_STALL_MS = 10;

/** What trials share. */
export interface TrialEnvironment {
  readonly loader: Loader;
  readonly state: ProcessState;
  readonly stacks: StackMapper;
  readonly maxSteps: number;
  /** Nanoseconds. */
  readonly maxStall: number;
  /** Those that can strike; see `faults` of the config. */
  readonly faults: Faults;
  /** What lies outside and never answers; see `unreachable` of the config. */
  readonly unreachable: Unreachable;
  /** A root-relative path with forward slashes. */
  relative(file: string): string;
}

/** What trials of a mocha project share beyond that. */
export interface MochaEnvironment extends TrialEnvironment {
  readonly Mocha: MochaClass;
  readonly options: MochaOptions;
  readonly requires: readonly Required[];
  /** Hooks and fixtures that `--require` files export. */
  pluginsOf(exports: readonly unknown[]): Promise<MochaOptions> | undefined;
  /** The files to load for a spec: those of `--file` come first. */
  filesFor(spec: string): readonly string[];
}

export class TrialRunner {
  private newTrial: ((request: TrialRequest) => Trial) | undefined;

  constructor(private readonly options: TrialOptions) {}

  /**
   * Loads the test runner and what its configuration names, and puts the virtual builtins in place.
   * Trials start from the state of the process after that. Done once; `run` does it when needed.
   * @throws an error for the user when the runner or a required module cannot be loaded
   */
  load(): void {
    const { root, runner = 'mocha' } = this.options;
    showRealFolder(root);
    this.newTrial ??= runner === 'mocha' ? this.forMocha() : this.forAdapter(runner);
  }

  /**
   * Runs one trial, in one synchronous call from a plain macrotask.
   * @throws only for a misuse; what goes wrong in the program is in the result
   */
  run(request: TrialRequest): TrialResult {
    this.load();
    return this.newTrial!(request).run();
  }

  /** Runs one trial from anywhere: goes to a macrotask first. */
  runAsync(request: TrialRequest): Promise<TrialResult> {
    return new pristine.Promise((resolve, reject) => {
      pristine.setImmediate(() => {
        try {
          resolve(this.run(request));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }

  /** Runs one trial on plain Node, with real timers and real delay; see {@link Trial}. */
  runOnPlainNode(request: TrialRequest): Promise<TrialResult> {
    this.load();
    return this.newTrial!(request).runOnPlainNode();
  }

  private forMocha(): (request: TrialRequest) => Trial {
    const { root, overlay } = this.options;
    // Mocha takes its copies of the builtins before they become virtual, wherever it is loaded.
    const mocha = loadMocha(root);
    installVirtualClock(mocha.Mocha);
    install();
    installProcessGuard();
    const options = this.options.mocha ?? loadOptions(mocha, root);
    const first = (options.file as string[] | undefined) ?? [];
    const loader = this.newLoader();
    const environment: MochaEnvironment = {
      requires: loadRequires(options, root, overlay),
      ...this.newEnvironment(loader, interfaceNames(mocha, options)),
      Mocha: mocha.Mocha,
      options: trialOptions(options),
      pluginsOf: (exports) => pluginsOf(mocha, exports),
      filesFor: (spec) => [...first.map((file) => path.resolve(root, file)), spec],
    };
    return (request) => new MochaTrial(environment, request);
  }

  private forAdapter(name: AdapterName): (request: TrialRequest) => Trial {
    const adapter = loadAdapter(name, this.options);
    install();
    installProcessGuard();
    const names = new Set(Object.keys(adapter.globals));
    const environment = { ...this.newEnvironment(this.newLoader(), names), adapter };
    return (request) => new AdaptedTrial(environment, request);
  }

  private newLoader(): Loader {
    return new Loader(this.options.overlay, { isolate: this.options.isolate, outside });
  }

  private newEnvironment(loader: Loader, ownGlobals: ReadonlySet<string>): TrialEnvironment {
    const { root } = this.options;
    return {
      loader,
      state: new ProcessState(ownGlobals),
      stacks: new StackMapper(root),
      maxSteps: this.options.maxSteps ?? MAX_STEPS,
      maxStall: (this.options.maxStallMs ?? MAX_STALL_MS) * MILLISECOND,
      faults: this.options.faults ?? noFaults,
      unreachable: new Unreachable(this.options.unreachable ?? []),
      relative: (file) => path.relative(root, file).split(path.sep).join('/'),
    };
  }
}

/** Work that is not the program's own happens in the real world. */
function outside<T>(work: () => T): T {
  return apart(() => {
    const { scheduler } = active;
    active.scheduler = undefined;
    try {
      return work();
    } finally {
      active.scheduler = scheduler;
    }
  });
}

/** Options without what a trial does itself: reporting, choosing files, letting errors through. */
function trialOptions(options: MochaOptions): MochaOptions {
  const own = ['reporter', 'reporterOption', 'reporterOptions', 'reporter-option', 'allowUncaught'];
  const ours = { ...options };
  for (const name of [...own, 'allow-uncaught', 'parallel', 'rootHooks']) delete ours[name];
  return { ...ours, globalSetup: [], globalTeardown: [] };
}

const PLUGINS = ['mochaHooks', 'mochaGlobalSetup', 'mochaGlobalTeardown'];

function pluginsOf(
  mocha: MochaPackage,
  exports: readonly unknown[],
): Promise<MochaOptions> | undefined {
  const found = exports.filter(
    (one) => typeof one === 'object' && one !== null && PLUGINS.some((name) => name in one),
  );
  if (found.length === 0) return undefined;
  const loader = mocha.newPluginLoader();
  for (const one of found) loader.load(one);
  return loader.finalize();
}
