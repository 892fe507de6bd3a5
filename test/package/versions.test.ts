/**
 * The package in projects whose own mocha and TypeScript are of other versions: types are checked
 * by that TypeScript, a sweep finds the bug, and the line that it prints replays it in that mocha.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { packedProject, run, succeed, TEST } from './packed.js';

const VERSIONS = [
  ['mocha-10', 'typescript-5.9'],
  ['mocha-11', 'typescript-7'],
] as const;

const TYPES = `
import { Mutex, simulate, sleep, spawn } from 'detsim';

export async function all(): Promise<void> {
  await simulate({ trials: 2 }, async (sim) => {
    const mutex = new Mutex();
    await mutex.lock();
    mutex.unlock();
    const now: number = sim.now;
    await spawn('other', async () => sleep(now + 5));
  });
}
`;

/** A project with the packages of the packed one under the names that users have. */
function makeProject(mocha: string, typescript: string): string {
  const packages = path.join(packedProject().project, 'node_modules');
  const folder = path.join(packedProject().project, `with-${mocha}-${typescript}`);
  const link = (name: string, to: string): void => {
    const at = path.join(folder, 'node_modules', name);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.symlinkSync(path.join(packages, to), at, 'junction');
  };
  link('mocha', mocha);
  link('typescript', typescript);
  for (const name of ['detsim', '@types', 'undici-types']) link(name, name);
  const bin = path.join(folder, 'node_modules/.bin');
  fs.mkdirSync(bin);
  fs.symlinkSync('../mocha/bin/mocha.js', path.join(bin, 'mocha'));
  fs.symlinkSync('../typescript/bin/tsc', path.join(bin, 'tsc'));
  fs.symlinkSync('../detsim/dist/cli/bin.js', path.join(bin, 'detsim'));
  const options = { module: 'nodenext', strict: true, types: ['node', 'mocha'], noEmit: true };
  const files = {
    'package.json': '{ "name": "app", "private": true }',
    'tsconfig.json': JSON.stringify({ compilerOptions: options }),
    'test/settings.test.ts': TEST,
    'src/types.ts': TYPES,
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const versionOf = (folder: string, name: string): string => {
  const manifest = path.join(folder, 'node_modules', name, 'package.json');
  return (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version;
};

describe('the package beside other versions', function () {
  this.timeout(240_000);

  for (const [mocha, typescript] of VERSIONS) {
    it(`${mocha}, ${typescript}`, () => {
      const folder = makeProject(mocha, typescript);
      const compiler = versionOf(folder, 'typescript');
      expect(succeed('node_modules/.bin/tsc --version', folder)).to.include(compiler);
      succeed('node_modules/.bin/tsc -p .', folder);
      succeed('node_modules/.bin/detsim init --yes', folder);
      const doctor = succeed('node_modules/.bin/detsim doctor', folder);
      expect(doctor)
        .to.include(`mocha ${versionOf(folder, 'mocha')}`)
        .and.include(compiler);

      const swept = run('node_modules/.bin/detsim sweep --trials=60', folder);
      expect(swept.status, swept.output).to.equal(1);
      const [, line] = /^minimal: +(.*)$/m.exec(swept.output)!;
      const replayed = run(line!, folder);
      expect(replayed.output)
        .to.match(/2 [!=]== 1/)
        .and.include('1 failing');
      expect(replayed.status).to.equal(1);
    });
  }
});
