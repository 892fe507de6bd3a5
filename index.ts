/** `detsim`: what a program or a test may import. */
export { spawn, stub } from './runtime/tasks/api.js';
