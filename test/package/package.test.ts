/**
 * The package as users get it: packed, installed into an empty project, and used there.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { documentationOf, TsServer } from '../langservice/tsserver.js';

const root = path.join(__dirname, '..', '..', '..');

function run(command: string, cwd: string): { status: number | null; output: string } {
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    env,
    shell: true,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

function succeed(command: string, cwd: string): string {
  const { status, output } = run(command, cwd);
  expect(status, `${command}\n${output}`).to.equal(0);
  return output;
}

/** Two first calls overlap only when the stand-in takes longer than the second one's delay. */
const TEST = `
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

describe('the package', function () {
  this.timeout(240_000);

  let project: string;
  let contents: string[];

  before(() => {
    project = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-package-'));
    // Without scripts: dist/ is built already, and the tests that run now run from it.
    const packed = succeed(`npm pack --ignore-scripts --json --pack-destination ${project}`, root);
    const [{ filename, files }] = JSON.parse(packed) as [
      { filename: string; files: { path: string }[] },
    ];
    contents = files.map((file) => file.path);
    fs.writeFileSync(path.join(project, 'package.json'), '{ "name": "app", "private": true }\n');
    const packages =
      `./${filename} mocha@12.0.3 typescript@6.0.3 @types/mocha@10.0.10 @types/node@20 ` +
      'typescript-5.9@npm:typescript@5.9.3';
    succeed(`npm install -D --no-audit --no-fund --prefer-offline ${packages}`, project);
  });

  const servers: TsServer[] = [];
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    fs.rmSync(project, { recursive: true, force: true });
  });

  it('has the build, licence and README, and nothing of the tests', () => {
    expect(contents).to.include.members(['LICENSE', 'README.md', 'dist/cli/bin.js']);
    const expected =
      /^(?:LICENSE|README\.md|(?:(?:langservice|transformer)\/)?package\.json|docs\/|dist\/(?!test\/|bench\/))/;
    const strange = contents.filter((file) => !expected.test(file));
    expect(strange).to.deep.equal([]);
  });

  it('has a file for every entry point', () => {
    const entries = [
      ...['detsim', 'detsim/transformer', 'detsim/langservice', 'detsim/eslint'],
      ...['detsim/runtime', 'detsim/register'],
    ];
    const script = entries.map((entry) => `require.resolve('${entry}')`).join(';');
    succeed(`node -e "${script}"`, project);
  });

  it('says its version', () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(succeed('npx detsim --version', project).trim()).to.equal(version);
  });

  it('sets a project up and finds the bug in it', () => {
    fs.mkdirSync(path.join(project, 'test'));
    fs.writeFileSync(path.join(project, 'test', 'settings.test.ts'), TEST);
    fs.writeFileSync(
      path.join(project, 'tsconfig.json'),
      '{ "compilerOptions": { "module": "nodenext", "types": ["node", "mocha"] } }\n',
    );

    succeed('npx detsim init', project);
    const { status, output } = run('npx detsim sweep --trials=300 test/settings.test.ts', project);

    expect(status, output).to.equal(1);
    expect(output).to.include('reproduce with: DETSIM_SEED=');
  });

  for (const typescript of ['typescript', 'typescript-5.9']) {
    it(`marks constructs in the editor: tsserver of ${typescript}`, async () => {
      const text = 'Atomics.wait(new Int32Array(1), 0, 0);\n';
      fs.writeFileSync(path.join(project, 'wait.ts'), text);
      const server = new TsServer(project, path.join(project, 'node_modules', typescript));
      servers.push(server);
      server.open('wait.ts');
      const found = await server.diagnostics('wait.ts');
      expect(found.map(({ source, code }) => `${source} ${code}`)).to.deep.equal(['detsim 631001']);
      const info = await server.hover('wait.ts', { line: 1, offset: 10 });
      const [, page] = /\((file:[^)]*)\)/.exec(documentationOf(info)!)!;
      expect(fs.existsSync(new URL(page!)), page).to.equal(true);
    });
  }
});
