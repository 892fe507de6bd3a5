/** `detsim`: what a program or a test may import. */
export * from './runtime/check/index.js';
export { DeadlockError, LivelockError, UncontrolledError } from './runtime/errors.js';
export { spawn, stub } from './runtime/tasks/api.js';
