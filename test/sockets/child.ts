/**
 * Runs every scenario of a module in one way, and prints a line of JSON for each.
 *
 *     node child.js plain|simulated MODULE
 *
 * On plain Node a scenario ends when the event loop has nothing left.
 */

import fs from 'node:fs';
import { Tracer, type Scenario, type Scenarios, type Seen } from './tracer.js';

export type Way = 'plain' | 'simulated';

export interface Outcome {
  readonly name: string;
  readonly seen: Seen;
}

const { writeSync } = fs;
const soon = setImmediate;

function print(name: string, tracer: Tracer): void {
  writeSync(1, JSON.stringify({ name, seen: tracer.finish() } satisfies Outcome) + '\n');
}

function runSimulated(name: string, scenario: Scenario): void {
  const { simulate } = require('../node/simulate.js') as typeof import('../node/simulate.js');
  const tracer = new Tracer();
  const { errors } = simulate(() => scenario(tracer), { maxSteps: 1_000_000 });
  for (const error of errors) tracer.note('uncaught', error);
  print(name, tracer);
}

function runPlain(scenarios: [string, Scenario][]): void {
  let tracer = new Tracer();
  let index = 0;
  process.on('uncaughtException', (error) => tracer.note('uncaught', error));
  process.on('unhandledRejection', (error) => tracer.note('uncaught', error));
  const start = (): void => {
    tracer = new Tracer();
    scenarios[index][1](tracer);
  };
  process.on('beforeExit', () => {
    print(scenarios[index][0], tracer);
    if (++index < scenarios.length) soon(start);
  });
  soon(start);
}

function main(way: Way, module: string, wanted: string | undefined): void {
  if (way === 'simulated') require('../node/simulate.js');
  const { allScenarios } = require(module) as { allScenarios: Scenarios };
  const scenarios = Object.entries(allScenarios).filter(([name]) => name.includes(wanted ?? ''));
  if (way === 'plain') return runPlain(scenarios);
  for (const [name, scenario] of scenarios) runSimulated(name, scenario);
}

main(process.argv[2] as Way, process.argv[3], process.argv[4]);
