/** The checkers of recorded histories, as a program may import them. */
export { History, type Invocation, type Operation } from './history.js';
export {
  checkLinearizable,
  type Linearizability,
  type LinearizabilityOptions,
} from './linearizable.js';
export type { Model } from './model.js';
export {
  lockModel,
  mapModel,
  queueModel,
  registerModel,
  setModel,
  type LockInput,
  type MapInput,
  type QueueInput,
  type RegisterInput,
  type SetInput,
} from './models.js';
