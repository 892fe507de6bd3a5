/**
 * What the process and the machine say of themselves: fixed figures inside a simulation, the same
 * on every machine.
 */

import os from 'node:os';
import perfHooks from 'node:perf_hooks';
import v8 from 'node:v8';
import { patch } from './facade.js';
import { currentHost } from './host.js';
import { simulated } from './simulated.js';
import type { Scheduler } from '../tasks/scheduler.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

const MIB = 2 ** 20;
const CPU = { user: 100_000, system: 20_000 };
const PROCESS_ID = 4242;

const MEMORY = {
  rss: 64 * MIB,
  heapTotal: 32 * MIB,
  heapUsed: 16 * MIB,
  external: 2 * MIB,
  arrayBuffers: MIB,
};

const RESOURCES = {
  userCPUTime: CPU.user,
  systemCPUTime: CPU.system,
  maxRSS: MEMORY.rss / 1024,
  sharedMemorySize: 0,
  unsharedDataSize: 0,
  unsharedStackSize: 0,
  minorPageFault: 0,
  majorPageFault: 0,
  swappedOut: 0,
  fsRead: 0,
  fsWrite: 0,
  ipcSent: 0,
  ipcReceived: 0,
  signalsCount: 0,
  voluntaryContextSwitches: 0,
  involuntaryContextSwitches: 0,
};

const HEAP = {
  total_heap_size: MEMORY.heapTotal,
  total_heap_size_executable: MIB,
  total_physical_size: MEMORY.heapTotal,
  total_available_size: 4096 * MIB,
  used_heap_size: MEMORY.heapUsed,
  heap_size_limit: 4096 * MIB,
  malloced_memory: MIB,
  peak_malloced_memory: MIB,
  does_zap_garbage: 0,
  number_of_native_contexts: 1,
  number_of_detached_contexts: 0,
  total_global_handles_size: 8192,
  used_global_handles_size: 4096,
  external_memory: MEMORY.external,
};

const PROCESSORS = Array.from({ length: 4 }, () => ({
  model: 'simulated',
  speed: 1000,
  times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
}));

export function installResources(): void {
  fix(process, 'memoryUsage', 'process.memoryUsage', () => ({ ...MEMORY }));
  fix(process.memoryUsage, 'rss', 'process.memoryUsage.rss', () => MEMORY.rss);
  fix(process, 'constrainedMemory', 'process.constrainedMemory', () => 8192 * MIB);
  fix(process, 'availableMemory', 'process.availableMemory', () => 4096 * MIB);
  fix(process, 'resourceUsage', 'process.resourceUsage', () => ({ ...RESOURCES }));
  patch(process, 'cpuUsage', 'process.cpuUsage', cpuUsageWith);
  patch(process, 'threadCpuUsage', 'process.threadCpuUsage', cpuUsageWith);
  fix(os, 'loadavg', 'os.loadavg', () => [0, 0, 0]);
  fix(os, 'freemem', 'os.freemem', () => 4096 * MIB);
  fix(os, 'totalmem', 'os.totalmem', () => 8192 * MIB);
  fix(os, 'cpus', 'os.cpus', () => structuredClone(PROCESSORS));
  fix(os, 'availableParallelism', 'os.availableParallelism', () => PROCESSORS.length);
  fix(v8, 'getHeapStatistics', 'v8.getHeapStatistics', () => ({ ...HEAP }));
  const noLoad = (): object => ({ idle: 0, active: 0, utilization: 0 });
  fix(globalThis.performance, 'eventLoopUtilization', 'performance.eventLoopUtilization', noLoad);
  fix(perfHooks, 'eventLoopUtilization', 'perf_hooks.eventLoopUtilization', noLoad);
  fixProcessId('pid', (scheduler) => PROCESS_ID + currentHost(scheduler).number);
  fixProcessId('ppid', () => PROCESS_ID - 1);
  patch(os, 'hostname', 'os.hostname', (real: () => string) => () => {
    const scheduler = simulated();
    return scheduler === undefined ? real() : currentHost(scheduler).name;
  });
}

function fix(target: object, key: string, place: string, value: () => unknown): void {
  patch(target, key, place, (real) => {
    return function (this: unknown, ...args: unknown[]) {
      return simulated() === undefined ? (apply(real, this, args) as unknown) : value();
    };
  });
}

function cpuUsageWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, previous?: typeof CPU) {
    if (simulated() === undefined) return apply(real, this, [previous]) as unknown;
    if (previous === undefined) return { ...CPU };
    apply(real, this, [previous]); // Raises Node's own error when it is invalid.
    return { user: CPU.user - previous.user, system: CPU.system - previous.system };
  };
}

/** Process ids go into ids that programs make, so they are a source of chance. */
function fixProcessId(key: 'pid' | 'ppid', value: (scheduler: Scheduler) => number): void {
  const { configurable, enumerable, get } = Object.getOwnPropertyDescriptor(process, key)!;
  if (configurable !== true) return;
  const real = process[key];
  Object.defineProperty(process, key, {
    get: () => {
      const scheduler = simulated();
      if (scheduler !== undefined) return value(scheduler);
      return get === undefined ? real : get.call(process);
    },
    enumerable,
    configurable,
  });
}
