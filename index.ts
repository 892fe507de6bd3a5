/** `detsim`: what a program or a test may import. */
export { DeadlockError, LivelockError, UncontrolledError } from './runtime/errors.js';
export { spawn, stub } from './runtime/tasks/api.js';
