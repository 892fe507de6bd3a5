/**
 * The packages whose own tests are run, and why single tests cannot pass in a simulation.
 */

export interface Package {
  readonly name: string;
  /** The public repository, `owner/name` on GitHub; a checkout of it is in the sources. */
  readonly repository: string;
  /** What mocha is told. */
  readonly mocha: Readonly<Record<string, unknown>>;
}

const tests = { spec: ['test/*.js'] };
const withEnvironment = { ...tests, require: ['./test/support/env'] };

export const packages: readonly Package[] = [
  { name: 'body-parser', repository: 'expressjs/body-parser', mocha: tests },
  { name: 'compression', repository: 'expressjs/compression', mocha: tests },
  { name: 'connect', repository: 'senchalabs/connect', mocha: withEnvironment },
  { name: 'cookie-session', repository: 'expressjs/cookie-session', mocha: tests },
  {
    name: 'express',
    repository: 'expressjs/express',
    mocha: { ...withEnvironment, spec: ['test/*.js', 'test/acceptance/*.js'] },
  },
  { name: 'express-session', repository: 'expressjs/session', mocha: withEnvironment },
  { name: 'finalhandler', repository: 'pillarjs/finalhandler', mocha: tests },
  {
    name: 'fs-extra',
    repository: 'jprichardson/node-fs-extra',
    mocha: { spec: ['lib/**/__tests__/*.test.js'], timeout: 30_000 },
  },
  { name: 'morgan', repository: 'expressjs/morgan', mocha: tests },
  { name: 'multer', repository: 'expressjs/multer', mocha: tests },
  { name: 'on-finished', repository: 'jshttp/on-finished', mocha: tests },
  { name: 'send', repository: 'pillarjs/send', mocha: tests },
  { name: 'serve-static', repository: 'expressjs/serve-static', mocha: tests },
  { name: 'ws', repository: 'websockets/ws', mocha: { spec: ['test/*.test.js'] } },
];

/** What a message of a test that does not pass stands for, each looked at. */
export const REASONS: readonly (readonly [message: RegExp, reason: string])[] = [
  [
    /ms > 0/,
    'It expects that computing takes time. Virtual time stands still while code runs, so the time ' +
      'measured is 0.',
  ],
  [/fs\.openAsBlob/, '`fs.openAsBlob` is not simulated.'],
  [
    /open '.*fs-extra\/(read-test-file|fs-rm)'|not run: .* for "returns an object" failed/,
    'It needs a folder that another test file has left. Each test file has a disk of its own in a ' +
      'simulation. On plain Node these files fail as well when they are run alone.',
  ],
];
