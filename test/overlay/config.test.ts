/**
 * The config file: what it may say, and how mistakes in it are reported.
 */

import { expect } from 'chai';
import { loadConfig } from '../../cli/config.js';
import { UserError } from '../../cli/errors.js';
import { writeProject } from './fixture.js';

function load(text: string): unknown {
  return loadConfig(writeProject({ 'detsim.config.json': text })).config;
}

describe('config file', () => {
  it('is optional', () => {
    expect(loadConfig(writeProject({}))).to.deep.equal({ config: {}, file: undefined });
  });

  it('may say everything', () => {
    const config = {
      $schema: 'https://example.org/schema.json',
      tests: ['test/**/*.test.ts'],
      instrument: ['p-limit', '@scope/name'],
      stubs: ['test/fakes/**'],
      isolate: 'all',
      trials: 500,
      seed: 'random',
      order: 'any',
      failOn: 'node',
      workers: 2,
      maxStall: 0.5,
      unreachable: ['*.example.com', '192.0.2.*', '2001:db8::1', 'metrics', '*'],
      tsconfig: 'tsconfig.test.json',
      overlay: 'build/overlay',
    };
    expect(load(JSON.stringify(config))).to.deep.equal(config);
  });

  it('may have comments and trailing commas', () => {
    expect(load('{\n  // as in tsconfig\n  "trials": 10,\n}')).to.deep.equal({ trials: 10 });
  });

  const mistakes: [title: string, text: string, message: string][] = [
    [
      'an unknown key, with the nearest valid one',
      '{\n  "trials": 10,\n  "trails": 10\n}',
      'detsim.config.json:3:3: unknown key "trails": did you mean "trials"?',
    ],
    [
      'an unknown key far from any other',
      '{ "colour": true }',
      'detsim.config.json:1:3: unknown key "colour": the keys are tests, runner, instrument, stubs, ' +
        'isolate, trials, seed, order, failOn, strategy, workers, maxStall, faults, unreachable, tsconfig, overlay',
    ],
    [
      'a wrong type',
      '{\n  "instrument": "p-limit"\n}',
      'detsim.config.json:2:3: "instrument" must be a list of strings, but it is "p-limit"',
    ],
    [
      'a wrong value',
      '{ "isolate": "none" }',
      'detsim.config.json:1:3: "isolate" must be one of "modules", "all", "process", but it is "none"',
    ],
    [
      'a number out of range',
      '{ "trials": 0 }',
      'detsim.config.json:1:3: "trials" must be a whole number, 1 or more, but it is 0',
    ],
    [
      'a seed that is none',
      '{ "seed": "abc" }',
      'detsim.config.json:1:3: "seed" must be a whole number, a string of decimal digits or "random", ' +
        'but it is "abc"',
    ],
    [
      'a URL where a name belongs',
      '{ "unreachable": ["https://api.example.com/"] }',
      'detsim.config.json:1:3: "unreachable" must be a list of host names or addresses, for ' +
        'instance ["*.example.com", "192.0.2.*"], but it is ["https://api.example.com/"]',
    ],
    [
      'a syntax error',
      '{\n  "trials": \n}',
      'detsim.config.json:3:1: the config is not valid JSON: Expression expected.',
    ],
    [
      'something that is no object',
      '[]',
      'detsim.config.json:1:1: the config must be one object, for instance {"trials": 2000}',
    ],
  ];
  for (const [title, text, message] of mistakes) {
    it(`reports ${title}`, () => {
      expect(() => load(text)).to.throw(UserError, message);
    });
  }
});
