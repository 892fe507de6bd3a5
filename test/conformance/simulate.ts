/**
 * Runs a module as the program of a simulation, from its first statement until nothing is left.
 *
 * The schedule is the empty one. What the program throws and does not catch becomes the
 * 'uncaughtException' of the process, as on plain Node; rejections are Node's own to notice.
 */

import { noDeviation } from '../../runtime/kernel/choice.js';
import type { Rung } from '../../runtime/kernel/rung.js';
import { EventLoop } from '../../runtime/kernel/event-loop.js';
import type { ModuleRegistry } from '../../runtime/loader/registry.js';
import { drain } from '../../runtime/node/drain.js';
import { active, Scheduler } from '../../runtime/tasks/scheduler.js';

/** Runs `work` with the real builtins: what a loader does is not the program's doing. */
export function outside<T>(work: () => T): T {
  const { scheduler } = active;
  active.scheduler = undefined;
  try {
    return work();
  } finally {
    active.scheduler = scheduler;
  }
}

/**
 * Evaluates a file of the registry inside a simulation. Call it from a plain macrotask.
 * @param rung the highest rung that could deviate; nothing does
 */
export function simulate(registry: ModuleRegistry, file: string, rung: Rung): void {
  const loop = new EventLoop({
    drain,
    onError: uncaught,
    onIdle: () => false,
    onBudget: () => {
      throw new Error('the program takes too many steps');
    },
    maxSteps: 100_000,
    maxStall: 10e6,
  });
  const scheduler = new Scheduler(loop);
  scheduler.beginScope({ title: 'program', rung, strategy: noDeviation });
  active.scheduler = scheduler;
  try {
    start(registry, file);
    loop.run();
  } finally {
    scheduler.end();
    active.scheduler = undefined;
  }
}

/** Evaluates a file: an ES module in a promise job, a CommonJS module at once. */
export function start(registry: ModuleRegistry, file: string): void {
  if (registry.isEsModule(file)) {
    void registry.importFile(file);
    return;
  }
  try {
    registry.require(file);
  } catch (error) {
    uncaught(error);
  }
}

function uncaught(error: unknown): void {
  const emitter: NodeJS.EventEmitter = process;
  const handled = emitter.emit('uncaughtException', error, 'uncaughtException');
  if (!handled) throw error;
}
