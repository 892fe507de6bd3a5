/**
 * The package as users get it: packed, installed into an empty project, and used there.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { documentationOf, TsServer } from '../langservice/tsserver.js';
import { packedProject, run, succeed, TEST } from './packed.js';

describe('the package', function () {
  this.timeout(240_000);

  let project: string;
  let contents: readonly string[];

  before(() => {
    ({ project, contents } = packedProject());
  });

  const servers: TsServer[] = [];
  after(() => Promise.all(servers.map((server) => server.stop())));

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
    const { version } = JSON.parse(
      fs.readFileSync(path.join(__dirname, '../../../package.json'), 'utf8'),
    ) as {
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
