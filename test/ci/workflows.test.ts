/**
 * The workflow files of the docs: their shape, what they refer to, and that each command of detsim
 * in them runs.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { copyFixture, runShell } from '../cli/fixture.js';

const root = path.join(__dirname, '../../..');
const { load } = require('js-yaml') as { load: (text: string) => unknown };

function read<T>(name: string): T {
  return load(fs.readFileSync(path.join(root, 'docs/ci', name), 'utf8')) as T;
}

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface GithubJob {
  readonly 'runs-on': string;
  readonly needs?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, string>> };
  readonly steps: readonly Step[];
}

interface GithubWorkflow {
  readonly on: {
    readonly workflow_call: { readonly inputs: Readonly<Record<string, { type: string }>> };
  };
  readonly jobs: Readonly<Record<string, GithubJob>>;
}

interface GitlabJob {
  readonly extends?: string;
  readonly stage?: string;
  readonly script?: readonly string[];
  readonly needs?: readonly { readonly job: string }[];
}

describe('the workflow files of the docs', function () {
  this.timeout(120_000);
  let folder: string;

  before(() => {
    folder = copyFixture('lost-update');
    fs.writeFileSync(path.join(folder, 'detsim.config.json'), '{ "trials": 40 }\n');
  });

  /** Runs a line of a workflow as its shell does, with detsim of this repository. */
  async function run(line: string, status: number): Promise<void> {
    const detsim = `${process.execPath} ${path.join(root, 'dist/cli/bin.js')}`;
    const command = line.replaceAll('npx detsim', detsim);
    const ran = await runShell(folder, command);
    expect(ran.status, `${command}\n${ran.stdout}${ran.stderr}`).to.equal(status);
  }

  it('GitHub: known keys, jobs and inputs; its commands run', async () => {
    const text = fs.readFileSync(path.join(root, 'docs/ci/github.yml'), 'utf8');
    const workflow = read<GithubWorkflow>('github.yml');
    expect(workflow).to.have.all.keys('name', 'on', 'permissions', 'jobs');
    const { inputs } = workflow.on.workflow_call;
    for (const { type } of Object.values(inputs)) expect(type).to.be.oneOf(['string', 'number']);
    const referred = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(referred)].sort()).to.deep.equal(Object.keys(inputs).sort());
    const commands: string[] = [];
    for (const job of Object.values(workflow.jobs)) {
      expect(job).to.include.keys('runs-on', 'steps');
      if (job.needs !== undefined) expect(workflow.jobs).to.have.property(job.needs);
      for (const step of job.steps) {
        expect(Number('run' in step) + Number('uses' in step), JSON.stringify(step)).to.equal(1);
        const keys = Object.keys(step).filter(
          (key) => !['run', 'uses', 'if', 'with'].includes(key),
        );
        expect(keys).to.deep.equal([]);
        if (step.uses !== undefined) expect(step.uses).to.match(/^actions\/[\w-]+@v\d+$/);
        if (step.run?.includes('detsim')) commands.push(step.run);
      }
    }
    const values: Record<string, string> = {
      'matrix.shard': '1',
      'inputs.shard-count': '1',
      'inputs.time-budget': '1m',
      'inputs.seed': '0',
    };
    const filled = commands.map((line) =>
      line.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
        expect(values).to.have.property(name);
        return values[name];
      }),
    );
    expect(filled).to.have.length(2);
    for (const line of filled) await run(line, 1);
    expect(fs.existsSync(path.join(folder, 'detsim/junit.xml'))).to.equal(true);
  });

  it('GitLab: known keys, stages and jobs; its commands run', async () => {
    const { stages, ...jobs } = read<Record<string, GitlabJob> & { stages: string[] }>(
      'gitlab.yml',
    );
    const known = ['artifacts', 'before_script', 'cache', 'extends', 'image', 'needs', 'parallel'];
    const commands: string[] = [];
    for (const [name, job] of Object.entries(jobs) as [string, GitlabJob][]) {
      for (const key of Object.keys(job)) {
        expect([...known, 'script', 'stage', 'variables', 'when']).to.include(key);
      }
      if (!name.startsWith('.')) expect(stages).to.include(job.stage);
      if (job.extends !== undefined) expect(jobs).to.have.property(job.extends);
      for (const { job: other } of job.needs ?? []) expect(jobs).to.have.property(other);
      commands.push(...(job.script ?? []));
    }
    const variables = 'CI_NODE_INDEX=1 CI_NODE_TOTAL=1 DETSIM_TIME_BUDGET=1m';
    expect(commands).to.have.length(2);
    for (const line of commands) await run(`export ${variables}; ${line}`, 1);
  });
});
