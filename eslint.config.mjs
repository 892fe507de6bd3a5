/**
 * Lint rules. What prettier, the compiler or test/tidy.test.ts can say is left to them; no rule
 * here needs type information, so that linting stays quick.
 */

import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Clocks, timers and randomness that the runtime may take from runtime/node/pristine.ts only. */
const impureGlobals = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'performance',
];

const impureProperties = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['process', 'nextTick'],
  ['process', 'hrtime'],
  ['process', 'uptime'],
].map(([object, property]) => ({
  object,
  property,
  message: 'It may be virtual or a stub of a test here: take it from runtime/node/pristine.ts.',
}));

const processVersion = {
  object: 'process',
  property: 'version',
  message: 'Ask for the feature itself, not for the version that has it.',
};

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'test/fixtures/', '**/.detsim/'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
      ],
      // `import x = require()` is how a CommonJS file loads a package late.
      '@typescript-eslint/no-require-imports': 'off',
      // A walk along linked objects begins with `this`.
      '@typescript-eslint/no-this-alias': 'off',
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-restricted-properties': ['error', processVersion],
    },
  },
  {
    files: ['runtime/**/*.ts'],
    // The first captures what the others must not touch; the second puts the globals back.
    ignores: ['runtime/node/pristine.ts', 'runtime/mocha/process-state.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': ['error', processVersion, ...impureProperties],
    },
  },
  {
    // What runs in a simulation prints nothing: standard output is the program's there.
    files: ['runtime/**/*.ts', 'transformer/**/*.ts'],
    ignores: ['runtime/mocha/**'],
    rules: { 'no-console': 'error' },
  },
  {
    // Hooks, and stand-ins for functions of Node and mocha, take and give whatever those do.
    files: [
      'runtime/tasks/hooks.ts',
      'runtime/node/**/*.ts',
      'runtime/mocha/**/*.ts',
      // Values of SQL are of the type that analysis found; the compiler cannot know it.
      'standins/postgres/**/*.ts',
      'runtime/runners/**/*.ts',
      'test/**/*.ts',
    ],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-function-type': 'off',
    },
  },
  {
    // These files are one program in one scope; the compiler checks it as that.
    files: ['cli/trace/page/*.ts'],
    rules: { '@typescript-eslint/no-unused-vars': 'off' },
  },
  {
    // Assertions of chai are expressions.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
);
