/**
 * What a pipeline uses: reports in each format, shards that add up to the whole, a trace that
 * replays in another checkout, and the workflow files of the docs.
 */

import fs from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { expect } from 'chai';
import { jobSummary } from '../../cli/report/github.js';
import { parseReport } from '../../cli/report/json.js';
import { copyFixture, runCli, type Ran } from '../cli/fixture.js';

const root = path.join(__dirname, '../../..');
const validate = new Ajv().compile(
  JSON.parse(fs.readFileSync(path.join(root, 'docs/json-report.schema.json'), 'utf8')) as object,
);

function reportIn(folder: string, name: string): Record<string, unknown> {
  const text = fs.readFileSync(path.join(folder, name), 'utf8');
  const {
    elapsedMs: _,
    trialsPerSecond: __,
    ...rest
  } = JSON.parse(text) as Record<string, unknown>;
  expect(validate(JSON.parse(text)), JSON.stringify(validate.errors)).to.equal(true);
  return rest;
}

describe('in a pipeline', function () {
  this.timeout(120_000);
  let folder: string;
  let whole: Ran;

  before(async () => {
    folder = copyFixture('lost-update');
    // A second file, with a test that passes and one that is skipped.
    const more = "it('adds', () => {});\nit('is <not> \"run\"', function () { this.skip(); });\n";
    fs.writeFileSync(path.join(folder, 'test/more.test.ts'), `export {};\n${more}`);
    const outputs = ['github', 'json:out/whole.json', 'junit:out/junit.xml'];
    const reporters = outputs.map((one) => `--reporter=${one}`);
    whole = await runCli(folder, 'sweep', '--no-check', '--trials=60', ...reporters);
  });
  // The first sweep has left a seed that would be run before the others.
  beforeEach(() => fs.rmSync(path.join(folder, '.detsim/seeds.json'), { force: true }));

  it('writes several reports at once; the JSON fits its schema', () => {
    expect(whole.status, whole.stderr).to.equal(1);
    const report = reportIn(folder, 'out/whole.json');
    expect(report.findings).to.have.length(1);
    expect(report.files).to.have.length(2);
  });

  it('github: annotations at file and line, behind the report for people', () => {
    expect(whole.stdout).to.match(/^✗ test\/account\.test\.ts/);
    const commands = whole.stdout.split('\n').filter((line) => line.startsWith('::'));
    expect(commands).to.have.length(1);
    expect(commands[0]).to.match(
      /^::error file=test\/account\.test\.ts,line=30,col=\d+,title=account keeps every deposit::/,
    );
    expect(commands[0]).to.include('%0AReproduce with: DETSIM_REPLAY="stubs;');
  });

  it('github: a summary of the job in Markdown, in which no text of a test is markup', () => {
    const text = fs.readFileSync(path.join(folder, 'out/whole.json'), 'utf8');
    const { findings, ...rest } = parseReport(text, 'whole.json');
    const [finding] = findings;
    const odd = { ...finding, test: 'a | <b>', message: 'has ``` in it' };
    const summary = jobSummary({ ...rest, findings: [odd] });
    expect(summary).to.match(/^## detsim: 1 finding\n/);
    expect(summary).to.match(/\| test\/account\.test\.ts \| 3 \| 60 \| \d+ \| \d+ \|/);
    expect(summary).to.include('### Finding: a \\| \\<b\\>');
    expect(summary).to.include('````\nassertion failed: has ``` in it');
    expect(summary).to.include(`\`\`\`sh\n${finding.minimal}\n\`\`\``);
  });

  it('junit: well-formed XML with a case for each test', () => {
    const xml = fs.readFileSync(path.join(folder, 'out/junit.xml'), 'utf8');
    expect(xml).to.match(/<testsuites name="detsim" tests="5" failures="1" errors="0" time="/);
    expect(xml.match(/<testcase /g)).to.have.length(5);
    expect(xml).to.include('name="is &#60;not&#62; &#34;run&#34;"');
    expect(xml).to.match(/<failure type="assertion failed" message="/);
    checkXml(xml);
  });

  it('the shards of a sweep, merged, are the sweep', async () => {
    const shards = [1, 2, 3].map((i) => `out/shard-${i}.json`);
    const codes: (number | null)[] = [];
    for (const [i, file] of shards.entries()) {
      const options = [`--shard=${i + 1}/3`, `--reporter=json:${file}`];
      codes.push((await runCli(folder, 'sweep', '--no-check', '--trials=60', ...options)).status);
      reportIn(folder, file);
    }
    expect(codes).to.deep.equal([1, 0, 0]);
    const merged = await runCli(folder, 'merge', ...shards, '--reporter=json:out/merged.json');
    expect(merged.status, merged.stderr).to.equal(1);
    expect(reportIn(folder, 'out/merged.json')).to.deep.equal(reportIn(folder, 'out/whole.json'));
    const part = await runCli(folder, 'merge', ...shards.slice(0, 2));
    expect(part.status).to.equal(2);
    expect(part.stderr).to.include('The report of shard 3 of 3 is missing');
    const twice = await runCli(folder, 'merge', shards[0], ...shards);
    expect(twice.stderr).to.match(/account\.test\.ts is in two of the reports/);
  });

  it('a merged report for people reads as that of the sweep', async () => {
    const merged = await runCli(folder, 'merge', 'out/whole.json');
    const people = whole.stdout.replace(/^::.*\n/gm, '');
    expect(timeless(merged.stdout)).to.equal(timeless(people));
  });

  it('a trace of a finding replays in another checkout, at another path', async () => {
    const other = copyFixture('lost-update');
    const name = '.detsim/findings/account-keeps-every-deposit/detsim_minimized_trace.json';
    fs.copyFileSync(path.join(folder, name), path.join(other, 'artefact.json'));
    const replayed = await runCli(other, 'replay', '--no-check', '--trace=artefact.json');
    expect(replayed.status, replayed.stderr).to.equal(1);
    expect(replayed.stdout).to.match(/the same|identical|event for event/i);
  });

  it('the command line says what is wrong with it', async () => {
    const wrong = async (...args: string[]) => (await runCli(folder, 'sweep', ...args)).stderr;
    expect(await wrong('--shard=3/2')).to.include('the i-th of n parts');
    expect(await wrong('--reporter=xml')).to.match(/must be one of pretty, json, junit, github/);
    expect(await wrong('--reporter=json', '--reporter=junit')).to.include('both write');
  });
});

/** Each element is closed, in order. */
function checkXml(xml: string): void {
  const open: string[] = [];
  for (const [, close, name, , empty] of xml.matchAll(
    /<(\/?)([\w-]+)((?:\s[\w-]+="[^"<>]*")*)\s*(\/?)>/g,
  )) {
    if (close) expect(open.pop()).to.equal(name);
    else if (!empty) open.push(name);
  }
  expect(open).to.deep.equal([]);
  const rest = xml.replace(/<\?xml[^>]*\?>|<\/?[\w-]+(?:\s[\w-]+="[^"<>]*")*\s*\/?>/g, '');
  expect(rest).to.not.match(/[<>]/);
}

function timeless(text: string): string {
  return text.replace(/ in [\d.]+ s,/g, '').replace(/[\d,]+ trials\/s/g, '');
}
