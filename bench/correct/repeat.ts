/**
 * A test file for plain mocha that has the tests of another one many times over, and keeps the loop
 * busy for up to 10 ms before every other timer's callback, as a busy machine does.
 */

const { setTimeout: start } = globalThis;
const LONGEST_MS = 10;

function late(callback: (...args: unknown[]) => void): (...args: unknown[]) => void {
  return function (this: unknown, ...args) {
    if (Math.random() < 0.5) {
      const end = performance.now() + Math.random() * LONGEST_MS;
      while (performance.now() < end);
    }
    return callback.apply(this, args);
  };
}

globalThis.setTimeout = ((callback: () => void, ...rest: []) =>
  start(late(callback), ...rest)) as typeof setTimeout;

const file = require.resolve(process.env['REPEAT_FILE']!);
for (let i = 0; i < Number(process.env['REPEAT_TIMES']); i++) {
  delete require.cache[file];
  require(file);
}
