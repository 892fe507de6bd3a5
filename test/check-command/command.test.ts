/** `detsim check` in a project with a reference, JavaScript, and a test that no tsconfig holds. */

import Ajv from 'ajv';
import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../cli/errors.js';
import { check, checkInProcess, copyProject, places } from './project.js';

const repository = path.join(__dirname, '../../..');

const ALL = [
  'lib/processes.ts:6:3 DS1003',
  'scripts/build.js:3:1 DS1002',
  'src/main.ts:5:2 DS1003',
  'src/main.ts:6:22 DS1109',
  'src/main.ts:7:3 DS1001',
  'test/main.ts:3:1 DS1102',
];

describe('detsim check', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => (folder = copyProject()));
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('json: every diagnostic, with positions counted from 1', () => {
    const { status, stdout, stderr } = checkInProcess(folder, '--format=json');
    expect(stderr).to.equal('');
    expect(places(stdout)).to.deep.equal(ALL);
    expect(status).to.equal(1);
    const document = JSON.parse(stdout) as { version: number; diagnostics: object[] };
    expect(document.version).to.equal(1);
    expect(document.diagnostics[4]).to.deep.equal({
      code: 'DS1001',
      severity: 'error',
      message:
        '`Atomics.wait` blocks the only thread that could wake it in a simulation: ' +
        'await `Atomics.waitAsync` instead.',
      file: 'src/main.ts',
      line: 7,
      column: 3,
      endLine: 7,
      endColumn: 27,
      fixable: true,
    });
  });

  it('pretty: the line that is meant, marked, and a summary', () => {
    const { status, stdout } = check(folder, 'src');
    expect(status).to.equal(1);
    expect(stdout).to.equal(
      fs.readFileSync(path.join(repository, 'test/fixtures/check-command/pretty.txt'), 'utf8'),
    );
  });

  it('files: those that are named, and no others', () => {
    expect(places(check(folder, '--format=json', 'lib').stdout)).to.deep.equal([ALL[0]]);
    expect(places(check(folder, '--format=json', 'src/*.ts').stdout)).to.deep.equal(
      ALL.slice(2, 5),
    );
    expect(() => check(folder, 'nowhere')).to.throw(UserError, 'No source file matches "nowhere"');
  });

  it('exit status: 0 for warnings, 1 for more than are allowed, 2 for wrong usage', () => {
    expect(check(folder, 'test').status).to.equal(0);
    expect(check(folder, 'test', '--max-warnings=1').status).to.equal(0);
    expect(check(folder, 'test', '--max-warnings=0').status).to.equal(1);
    expect(() => check(folder, '--update-baseline')).to.throw(UserError, 'needs --baseline');
    expect(checkInProcess(folder, '--format=xml').status).to.equal(2);
  });

  it('sarif: valid by the schema of version 2.1.0', () => {
    const ajv = new Ajv({ schemaId: 'id', meta: false, unknownFormats: ['uri', 'uri-reference'] });
    ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json') as object);
    const schema = path.join(repository, 'test/fixtures/sarif/sarif-schema-2.1.0.json');
    const validate = ajv.compile(JSON.parse(fs.readFileSync(schema, 'utf8')) as object);
    const { stdout } = check(folder, '--format=sarif');
    const log = JSON.parse(stdout) as { runs: [{ results: { ruleId: string; fixes?: object }[] }] };
    expect(validate(log), JSON.stringify(validate.errors)).to.equal(true);
    const { results } = log.runs[0];
    expect(results.map((one) => one.ruleId)).to.deep.equal(ALL.map((one) => one.split(' ')[1]));
    expect(results.filter((one) => one.fixes !== undefined)).to.have.length(2);
  });

  it('github: workflow commands', () => {
    const [first] = check(folder, '--format=github', 'lib').stdout.split('\n');
    expect(first).to.equal(
      '::error file=lib/processes.ts,line=6,endLine=6,col=3,endColumn=14,' +
        'title=DS1003 child-process::`child_process.spawn` starts a real process, which no seed ' +
        'controls: put it behind a function that a test can replace.',
    );
  });

  it('--fix applies what is safe, and reports the rest', () => {
    const file = path.join(folder, 'src/main.ts');
    fs.writeFileSync(file, `\uFEFF${fs.readFileSync(file, 'utf8').replaceAll('\n', '\r\n')}`);
    const { stdout } = check(folder, '--fix', '--format=json', 'src');
    expect(places(stdout)).to.deep.equal([ALL[2]]);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).to.match(/^\uFEFF/);
    expect(text).to.include("of readdirSync('.').sort())");
    expect(text).to.include('  await Atomics.waitAsync(lock, 0, 0).value;\r\n');
    expect(check(folder, '--fix', 'src').stdout).to.not.include('applied');
  });

  it('a baseline holds back what is known, wherever it moves, and nothing new', () => {
    const baseline = '--baseline=known.json';
    expect(() => check(folder, baseline)).to.throw(UserError, 'There is no baseline known.json');
    const written = check(folder, baseline, '--update-baseline');
    expect(written.stdout).to.equal('6 diagnostics in known.json\n');
    const file = path.join(folder, 'lib/processes.ts');
    fs.writeFileSync(file, `\n\n${fs.readFileSync(file, 'utf8')}\nspawn('ls', ['-a']);\n`);
    fs.writeFileSync(path.join(folder, 'test/main.ts'), 'export {};\n');
    const after = check(folder, baseline);
    expect(after.status).to.equal(1);
    expect(after.stdout).to.include('lib/processes.ts:11:1');
    expect(after.stdout).to.include('Found 1 error and 0 warnings');
    expect(after.stdout).to.include('5 more are in the baseline.');
    expect(after.stdout).to.include('1 of the baseline is gone');
    const again = check(folder, baseline, '--update-baseline');
    expect(again.stdout).to.equal('6 diagnostics in known.json\n');
    expect(check(folder, baseline).status).to.equal(0);
  });

  it('comments with a reason silence a line or a file', () => {
    const file = path.join(folder, 'lib/processes.ts');
    const text = fs.readFileSync(file, 'utf8');
    const silenced = text.replace(
      '  spawn',
      '  // detsim-ignore-next-line DS1003: a tool\n  spawn',
    );
    fs.writeFileSync(file, silenced);
    expect(check(folder, 'lib').stdout).to.equal('Nothing found in 1 file.\n');
    fs.writeFileSync(file, `// detsim-ignore-file DS1003: a tool\n${text}`);
    expect(check(folder, 'lib').stdout).to.equal('Nothing found in 1 file.\n');
  });

  it('a project without tsconfig: all its JavaScript and TypeScript', () => {
    fs.rmSync(path.join(folder, 'tsconfig.json'));
    fs.rmSync(path.join(folder, 'lib/tsconfig.json'));
    expect(places(check(folder, '--format=json').stdout)).to.deep.equal(ALL);
  });

  it('a project of TypeScript 7: its options need not be known here', () => {
    const file = path.join(folder, 'tsconfig.json');
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replace('"strict"', '"deduplicatePackages": true, "strict"'));
    fs.rmSync(path.join(folder, 'node_modules'));
    const types = path.join(folder, 'node_modules/@types');
    fs.mkdirSync(types, { recursive: true });
    fs.symlinkSync(path.join(repository, 'node_modules/@types/node'), path.join(types, 'node'));
    const typescript = path.join(folder, 'node_modules/typescript');
    fs.mkdirSync(typescript);
    fs.writeFileSync(path.join(typescript, 'package.json'), '{"version":"7.0.2"}');
    expect(places(check(folder, '--format=json', 'src').stdout)).to.deep.equal(ALL.slice(2, 5));
  });
});
