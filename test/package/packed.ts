/** The package as users get it, installed into an empty project once for all tests of this part. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const root = path.join(__dirname, '..', '..', '..');

/** What the project has beside detsim; an alias for each of the other versions. */
const PACKAGES = [
  ...['mocha@12.0.3', 'mocha-10@npm:mocha@10.8.2', 'mocha-11@npm:mocha@11.8.0'],
  ...['typescript@6.0.3', 'typescript-5.9@npm:typescript@5.9.3'],
  ...['typescript-7@npm:typescript@7.0.2', '@types/mocha@10.0.10', '@types/node@20'],
];

export interface Packed {
  readonly project: string;
  /** The files of the package. */
  readonly contents: readonly string[];
}

let packed: Packed | undefined;

export function packedProject(): Packed {
  return (packed ??= makeProject());
}

after(() => {
  if (packed !== undefined) fs.rmSync(packed.project, { recursive: true, force: true });
});

function makeProject(): Packed {
  const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-package-')));
  // Without scripts: dist/ is built already, and the tests that run now run from it.
  const said = succeed(`npm pack --ignore-scripts --json --pack-destination ${project}`, root);
  const [{ filename, files }] = JSON.parse(said) as [
    { filename: string; files: { path: string }[] },
  ];
  fs.writeFileSync(path.join(project, 'package.json'), '{ "name": "app", "private": true }\n');
  const packages = [`./${filename}`, ...PACKAGES].join(' ');
  succeed(`npm install -D --no-audit --no-fund --prefer-offline ${packages}`, project);
  return { project, contents: files.map((file) => file.path) };
}

export function run(command: string, cwd: string): { status: number | null; output: string } {
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(command, {
    ...{ cwd, env, shell: true, encoding: 'utf8' },
  });
  return { status, output: stdout + stderr };
}

export function succeed(command: string, cwd: string): string {
  const { status, output } = run(command, cwd);
  expect(status, `${command}\n${output}`).to.equal(0);
  return output;
}

/** Two first calls overlap only when the stand-in takes longer than the second one's delay. */
export const TEST = `
import { strict as assert } from 'node:assert';

const load = async (): Promise<string> => 'settings';

let loads = 0;
let settings: string | undefined;
async function getSettings(): Promise<string> {
  if (settings === undefined) {
    loads++;
    settings = await load();
  }
  return settings;
}

describe('settings', () => {
  it('are loaded once', async () => {
    const later = new Promise<string>((resolve) => setTimeout(() => resolve(getSettings()), 5));
    await Promise.all([getSettings(), later]);
    assert.equal(loads, 1);
  });
});
`;
