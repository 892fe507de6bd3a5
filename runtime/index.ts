/** `detsim/runtime`: what instrumented code calls. */
export { at, atNone, clear, enter, file, noArgs, react, tag } from './tasks/hooks.js';
export { steps } from './tasks/steps.js';
