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
    ignores: ['runtime/node/pristine.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': ['error', processVersion, ...impureProperties],
    },
  },
  {
    files: ['runtime/**/*.ts', 'transformer/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    // Hooks and stand-ins for Node's functions take and give whatever the program does.
    files: ['runtime/tasks/hooks.ts', 'runtime/node/**/*.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-explicit-any': 'off' },
  },
);
