/**
 * The same clients and servers over real loopback, and over simulated sockets: every part of them
 * sees the same, in the same order.
 */

import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import type { Outcome, Way } from '../sockets/child.js';
import { allScenarios } from './scenarios/index.js';
import type { Seen } from '../sockets/tracer.js';

const SCENARIOS = path.join(__dirname, 'scenarios/index.js');

async function run(way: Way): Promise<Map<string, Seen>> {
  const child = spawn(
    process.execPath,
    [path.join(__dirname, '../sockets/child.js'), way, SCENARIOS],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  const lines = output.split('\n').filter((line) => line !== '');
  const outcomes = lines.map((line) => JSON.parse(line) as Outcome);
  return new Map(outcomes.map(({ name, seen }) => [name, seen]));
}

describe('http as on plain Node', function () {
  this.timeout(60_000);
  let plain: Map<string, Seen>;
  let simulated: Map<string, Seen>;

  before(async () => {
    [plain, simulated] = await Promise.all([run('plain'), run('simulated')]);
  });

  for (const name of Object.keys(allScenarios)) {
    it(name, () => {
      expect(plain.get(name), 'nothing was seen').to.not.be.empty;
      expect(simulated.get(name)).to.deep.equal(plain.get(name));
    });
  }
});
