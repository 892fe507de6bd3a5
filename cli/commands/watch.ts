/**
 * `detsim watch`: sweeps the project, and after each edit the test files that it affects.
 */

import path from 'node:path';
import { loadMocha } from '../../runtime/mocha/mocha-package.js';
import { loadOptions } from '../../runtime/mocha/options.js';
import { compile } from '../compile.js';
import { UserError } from '../errors.js';
import { isFile } from '../overlay/disk.js';
import { findRoot } from '../overlay/project.js';
import { formatPretty } from '../report/pretty.js';
import { progressOn } from '../report/progress.js';
import { colorsFor } from '../report/style.js';
import { count } from '../report/words.js';
import { writeLastReport, writeLastSweep } from '../sweep/last-sweep.js';
import { seedsFile } from '../sweep/seeds-file.js';
import { SILENCE_MS, Sweep } from '../sweep/sweep.js';
import { Watch } from '../watch/watch.js';
import { rungNumber, settingsFor, type Settings } from './settings.js';
import { strategyOf, type SweepFlags } from './sweep.js';

export type WatchFlags = Omit<SweepFlags, 'reporter' | 'shard' | 'queue' | 'check'>;

const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

/** @returns the exit status */
export async function watchCommand(
  patterns: readonly string[],
  flags: WatchFlags,
): Promise<number> {
  const progress = progressOn(process.stderr, colorsFor(process.stderr));
  const colors = colorsFor(process.stdout);
  let settings: Settings;
  const watch = new Watch({
    compile() {
      settings = settingsFor({ ...flags, check: false, patterns });
      const { setup, workers } = settings;
      const { root, config, specs } = setup;
      const { overlay, errors } = compile({
        root,
        config,
        tests: specs,
        check: false,
        pretty: false,
      });
      if (errors.length > 0) throw new UserError(errors.map(({ message }) => message).join('\n'));
      const required = requiredFiles(root);
      return { setup, workers: flags.workers ?? workers, overlay, required };
    },
    sweep: ({ setup }, place) =>
      new Sweep({
        ...place,
        setup,
        cwd: process.cwd(),
        trials: flags.trials ?? settings.trials,
        failOn: rungNumber(flags.failOn ?? settings.failOn),
        minimize: flags.minimize,
        strategy: strategyOf(flags) ?? settings.strategy,
        timeBudgetMs: flags.timeBudget,
        silenceMs: SILENCE_MS,
        environment: settings.environment,
        seeds: seedsFile(setup.root),
        steady: false,
        progress,
      }),
    onBegin(specs, { setup }) {
      if (process.stdout.isTTY) process.stdout.write(CLEAR_SCREEN);
      const names = specs.map((spec) => path.relative(process.cwd(), spec)).join(', ');
      const all = specs.length === setup.specs.length;
      process.stdout.write(`Sweeping ${all ? count(specs.length, 'test file') : names} …\n`);
    },
    onReport(report, { setup: { root } }) {
      writeLastSweep(root, report);
      writeLastReport(root, report);
      process.stdout.write(
        formatPretty(report, { root, colors, coverage: flags.coverage ?? false }),
      );
      process.stdout.write(colors.dim('Waiting for an edit. Ctrl-C ends.\n'));
    },
    onError(error) {
      progress.end();
      process.stdout.write(`${error.message}\nWaiting for an edit that mends it.\n`);
    },
  });
  const end = (): void => watch.end();
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  try {
    await watch.run(findRoot(process.cwd()));
    return 0;
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
}

/** The files of the project that mocha's configuration loads before any test. */
function requiredFiles(root: string): string[] {
  const { require: names = [] } = loadOptions(loadMocha(root), root) as { require?: string[] };
  return names.map((name) => path.resolve(root, name)).filter(isFile);
}
