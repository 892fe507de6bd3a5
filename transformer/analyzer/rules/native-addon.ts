/** DS1006: compiled addons. */

import { reportCalls, setOf } from '../check/calls.js';
import { onRequest, packageOf } from '../check/requests.js';
import type { Rule } from '../check/rule.js';

const LOADERS = setOf(
  'bindings node-gyp-build node-gyp-build-optional-packages @mapbox/node-pre-gyp ffi-napi koffi',
);

export const nativeAddon: Rule = {
  code: 'DS1006',
  name: 'native-addon',
  severity: 'error',
  summary: 'A native addon',
  flagged:
    'Requests of `.node` files, of packages that load them (`bindings`, `node-gyp-build`, …), and ' +
    'calls of `process.dlopen`.',
  why:
    'Compiled code sees the real clock, real files and real threads; nothing that it does goes ' +
    'through JavaScript, where detsim could stand in its way.',
  instead: 'Give the test a stand-in for the module that wraps the addon.',
  example: {
    bad: `export const addon: { add(a: number, b: number): number } = require('./add.node');`,
    good: `export interface Adder {
  add(a: number, b: number): number;
}

export function sum(adder: Adder, values: readonly number[]): number {
  return values.reduce((a, b) => adder.add(a, b), 0);
}`,
  },
  listeners: (ts) => [
    ...onRequest(ts, ({ node, specifier: { text } }, context) => {
      const isAddon = text.endsWith('.node') || LOADERS.has(packageOf(text) ?? '');
      if (!isAddon) return;
      context.report(
        node,
        `"${text}" loads compiled code, which no simulation can control: ` +
          'give the test a stand-in for the module around it.',
      );
    }),
    ...reportCalls(ts, {
      message: (name) =>
        name === 'process.dlopen'
          ? '`process.dlopen` loads compiled code, which no simulation can control: ' +
            'give the test a stand-in for the module around it.'
          : undefined,
    }),
  ],
};
