/**
 * Sweeps correct programs, where nothing should be found, and writes docs/correct.md.
 *
 *     npm run correct -- [--trials=1000] [--suites=WORD] [--files=NAME,NAME] [--orders=node,stubs]
 *                        [--work=DIR]
 *
 * Results are kept in the work folder by test file, so that a part of the page can be made anew;
 * with a WORD that names no suite, only the page is written.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { confirm } from './correct/confirm.js';
import { renderPage, type SuiteResults } from './correct/page.js';
import { prepareWork, suites, versionOf, type Suite } from './correct/suites.js';
import { sweep, withFilesOf } from './correct/sweep.js';

const root = path.join(__dirname, '../..');

const { values: options } = parseArgs({
  options: {
    trials: { type: 'string', default: '1000' },
    suites: { type: 'string', default: '' },
    files: { type: 'string', default: '' },
    orders: { type: 'string', default: 'node,stubs' },
    work: { type: 'string', default: path.join(os.tmpdir(), 'detsim-correct') },
    output: { type: 'string', default: path.join(root, 'docs/correct.md') },
  },
});

/** What a sweep has found on `node` is tried on plain Node. */
function confirmFindings(folder: string, suite: Suite, results: SuiteResults | undefined): void {
  for (const finding of results?.node?.findings ?? []) {
    results!.confirmed ??= {};
    const { verdict } = (results!.confirmed[finding.test] ??= confirm(
      folder,
      finding,
      suite.options,
    ));
    console.log(`${finding.test}: ${verdict}`);
  }
}

function main(): void {
  const { work, output } = options;
  prepareWork(work, path.join(root, 'test/fixtures/correct'));
  const resultsFile = path.join(work, 'results.json');
  const results: Record<string, SuiteResults> = fs.existsSync(resultsFile)
    ? (JSON.parse(fs.readFileSync(resultsFile, 'utf8')) as Record<string, SuiteResults>)
    : {};
  const list = (text: string): string[] => text.split(',').filter((one) => one !== '');
  const orders = list(options.orders) as ('node' | 'stubs')[];
  for (const suite of suites.filter(({ name }) => name.includes(options.suites))) {
    for (const order of orders) {
      const report = sweep(path.join(work, suite.folder), {
        order,
        trials: Number(options.trials),
        options: [...list(options.files).map((name) => `test/${name}`), ...suite.options],
      });
      const known = (results[suite.name] ??= {});
      known[order] = withFilesOf(known[order], report);
      console.log(`${suite.name}, ${order}: ${report.findings.length} findings`);
      fs.writeFileSync(resultsFile, JSON.stringify(results, undefined, 1));
    }
    confirmFindings(path.join(work, suite.folder), suite, results[suite.name]);
    fs.writeFileSync(resultsFile, JSON.stringify(results, undefined, 1));
  }
  const page = { suites, results, versionOf: (name: string) => versionOf(work, name) };
  fs.writeFileSync(output, renderPage(page));
}

main();
