/**
 * Small mocha projects for the tests of the trial runner: written to a folder of their own, with
 * the repository's mocha and chai in their node_modules.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { emptyPlan } from '../../runtime/explore/plan.js';
import { TrialRunner } from '../../runtime/mocha/trial-runner.js';
import type {
  TestResult,
  TrialOptions,
  TrialRequest,
  TrialResult,
} from '../../runtime/mocha/types.js';
import { openOverlay, writeProject } from '../overlay/fixture.js';

const repository = path.join(__dirname, '../../..');

/** Writes a project of the given files; a package.json and a tsconfig are there unless given. */
export function mochaProject(
  files: Readonly<Record<string, string>>,
  packages: Readonly<Record<string, string>> = {},
): string {
  const root = writeProject({
    'package.json': '{ "name": "project", "private": true }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: { target: 'es2022', module: 'node20', strict: true, types: [] },
    }),
    ...files,
  });
  fs.mkdirSync(path.join(root, 'node_modules'), { recursive: true });
  for (const [name, at] of Object.entries({ mocha: 'mocha', chai: 'chai', ...packages })) {
    fs.symlinkSync(
      path.join(repository, 'node_modules', at),
      path.join(root, 'node_modules', name),
    );
  }
  return root;
}

/** A runner for the project in `root`. */
export function runnerOf(root: string, options: Partial<TrialOptions> = {}): TrialRunner {
  const tests = fs.readdirSync(root).filter((name) => name.includes('.spec.'));
  const overlay = openOverlay(root, { tests: tests.map((name) => path.join(root, name)) });
  return new TrialRunner({ root, overlay, ...options });
}

/** One trial of a spec file, with the empty schedule unless the request says otherwise. */
export function trial(
  runner: TrialRunner,
  file: string,
  request: Partial<TrialRequest> = {},
): Promise<TrialResult> {
  return runner.runAsync({ file, plan: emptyPlan, console: 'swallow', ...request });
}

/** Writes a project with one spec, runs it once and returns its result. */
export async function runSpec(
  spec: string,
  files: Readonly<Record<string, string>> = {},
  request: Partial<TrialRequest> = {},
  options: Partial<TrialOptions> = {},
): Promise<TrialResult> {
  const root = mochaProject({ 'a.spec.ts': spec, ...files });
  return trial(runnerOf(root, options), path.join(root, 'a.spec.ts'), request);
}

/** The result of the test with this full title. */
export function testOf(result: TrialResult, title: string): TestResult {
  const found = result.tests.find((test) => test.title === title);
  expect(found, `a test "${title}" among ${JSON.stringify(result.tests.map((t) => t.title))}`).to
    .exist;
  return found!;
}

/** `title: state` of every test, in order. */
export function statesOf(result: TrialResult): string[] {
  if (result.loadError !== undefined) throw new Error(result.loadError.message);
  return result.tests.map((test) => `${test.title}: ${test.state}`);
}
