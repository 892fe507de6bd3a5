/**
 * What docs/runners.md shows of configuration and of `simulate`, in a project of vitest and in one
 * of jest: the test fails there with a report, and the line in it runs it again.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runShell } from '../cli/fixture.js';
import { copyProject } from '../runners/project.js';
import { blocksOf } from './blocks.js';

const blocks = blocksOf('docs/runners.md').map(({ code }) => code);

/** The block with a text. */
function block(text: string): string {
  return blocks.find((code) => code.includes(text))!;
}

/** What the blocks take for granted: a store that is slow, and an account that loses deposits. */
const GIVEN = `
class MemoryStore {
  value = 0;
  async read() { return this.value; }
  async write(value: number) { this.value = value; }
}
class Account {
  constructor(private readonly store: MemoryStore) {}
  async deposit(amount: number) {
    const balance = await this.store.read();
    await new Promise((resolve) => setTimeout(resolve, 1));
    await this.store.write(balance + amount);
  }
  async balance() { return this.store.read(); }
}
`;

describe('docs/runners.md', function () {
  this.timeout(180_000);

  const runners = [
    {
      name: 'vitest',
      config: ['vitest.config.ts', block('plugins: [detsim()]')],
      api: "import { expect, it } from 'vitest';",
      command: 'npx vitest run --testTimeout=60000 test/deposits.test.ts',
    },
    {
      name: 'jest',
      config: ['jest.config.js', block("testRunner: 'detsim/jest'")],
      api: "import { expect, it } from '@jest/globals';",
      command: 'npx jest --testTimeout=60000 test/deposits.test.ts',
    },
  ];
  for (const { name, config, api, command } of runners) {
    it(`simulate in ${name}, as configured there`, async () => {
      const folder = copyProject(name);
      fs.writeFileSync(path.join(folder, config[0]), config[1]);
      const test = path.join(folder, 'test/deposits.test.ts');
      fs.writeFileSync(test, api + block('trials: 500') + GIVEN);
      const ran = await runShell(folder, command);
      const text = ran.stdout + ran.stderr;
      expect(ran.status, text).to.equal(1);
      const replay = /DETSIM_SIMULATE=(?:"[^"]*"|\S+)/.exec(text)?.[0];
      expect(replay, text).to.not.equal(undefined);
      const again = await runShell(folder, `${replay} ${command}`);
      expect(again.status, again.stdout + again.stderr).to.equal(1);
      expect(again.stdout + again.stderr).to.include('keeps every deposit');
    });
  }

  it('simulate with fast-check, in both ways', async () => {
    const folder = copyProject('vitest');
    const given = `
      import { expect, it } from 'vitest';
      import fc from 'fast-check';
      import { simulate } from 'detsim';
      async function bank(amounts: number[]) {
        const account = new Account(new MemoryStore());
        await Promise.all(amounts.map((amount) => account.deposit(amount)));
        expect(await account.balance()).toBe(amounts.reduce((a, b) => a + b, 0));
      }`;
    const inTest = (name: string, code: string): string => {
      const imports = code.match(/^import .*$/gm) ?? [];
      const rest = code.replace(/^import .*$/gm, '');
      return `${imports.join('\n')}\nit('${name}', async () => {${rest}}, 60_000);\n`;
    };
    const shown = [block('trials: 40'), block('schedules()')];
    const tests = shown.map((code, i) => inTest(`property ${i + 1}`, code));
    const file = path.join(folder, 'test/deposits.test.ts');
    fs.writeFileSync(file, given + GIVEN + tests.join('\n'));
    const modules = path.join(__dirname, '../../../node_modules');
    for (const one of ['fast-check', 'pure-rand']) {
      fs.symlinkSync(path.join(modules, one), path.join(folder, 'node_modules', one), 'junction');
    }
    const { status, stdout, stderr } = await runShell(
      folder,
      'npx vitest run --testTimeout=60000 test/deposits.test.ts',
    );
    expect(status, stdout + stderr).to.equal(1);
    expect(stdout + stderr).to.match(/2 failed/);
    expect((stdout + stderr).match(/Counterexample/g)!.length).to.be.at.least(2);
  });
});
