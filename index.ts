/** `detsim`: what a program or a test may import. */
export * from './runtime/check/index.js';
export {
  ChannelClosedError,
  DeadlockError,
  LivelockError,
  UncontrolledError,
  UnlockError,
} from './runtime/errors.js';
export { spawn, stub, type SpawnOptions } from './runtime/tasks/api.js';
export {
  after,
  Channel,
  Condition,
  Mutex,
  Once,
  RWMutex,
  select,
  Semaphore,
  sleep,
  WaitGroup,
  type SelectCase,
  type Selected,
  type Timeout,
} from './runtime/tasks/primitives/index.js';
export type { DelayRange, Distribution } from './runtime/kernel/spread.js';
export type { Handler, NetworkStats } from './runtime/network/network.js';
export type { NetworkFaults } from './runtime/network/faults.js';
export { Network } from './runtime/network/network.js';
export {
  InvariantError,
  LivenessError,
  SimulationPoint,
  StepBudgetError,
} from './runtime/sim/errors.js';
export { powerMayFail } from './runtime/node/files/power.js';
export { buggify, failpoint } from './runtime/node/program-faults.js';
export type { FailpointSettings, FaultSettings } from './runtime/node/fault-settings.js';
export { currentSim, scenario } from './runtime/hosts/scenario.js';
export type {
  HostExit,
  HostOptions,
  Program,
  SimulatedHost,
} from './runtime/hosts/simulated-host.js';
export type { NoveltyReport } from './runtime/explore/novelty/index.js';
export { explore, type ExploreOptions } from './runtime/sim/explore.js';
export type { SimEvent } from './runtime/sim/log.js';
export type { Random } from './runtime/sim/random.js';
export { microsecond, millisecond, second, Sim, type SimOptions } from './runtime/sim/sim.js';
export type { SimTimer } from './runtime/sim/timer.js';
export { DiskFullError, DiskReadError } from './runtime/storage/errors.js';
export type { StorageProfile } from './runtime/storage/profile.js';
export { FaultyStorage } from './runtime/storage/storage.js';
export type { Mode, ModeOptions, ModeResult } from './runtime/sim/mode.js';
export { swarm, type FaultKinds, type FaultProfile } from './runtime/sim/swarm.js';
export { FindingError } from './runtime/simulate/finding-error.js';
export {
  simulate,
  type SimulateOptions,
  type SimulateReport,
} from './runtime/simulate/simulate.js';
