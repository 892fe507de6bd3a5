/**
 * `detsim/vitest`: a plugin for vitest's configuration.
 *
 *     export default defineConfig({ plugins: [detsim()] });
 *
 * It gives the project's own modules yield points, which do nothing outside a simulation, so that
 * `simulate` explores them. With DETSIM_SEED or DETSIM_REPLAY set, vitest shows a replay instead of
 * running the tests itself.
 */

import path from 'node:path';
import { isReplay } from '../register/replay-file.js';

interface PluginOptions {
  /** Globs of stand-ins, relative to the root; test files by default. */
  readonly stubs?: readonly string[];
}

/** A plugin of vite, as far as it is one. */
interface Plugin {
  readonly name: string;
  readonly enforce: 'pre';
  config(): object | undefined;
  configResolved(config: { readonly root: string }): void;
  transform(code: string, id: string): { code: string; map: string } | undefined;
}

type Transpile = typeof import('../../transformer/transpile.js');

const SOURCE = /\.[cm]?[jt]sx?$/;

function detsim(options: PluginOptions = {}): Plugin {
  let root = process.cwd();
  const replays = isReplay(process.env);
  return {
    name: 'detsim',
    enforce: 'pre',
    config() {
      if (!replays) return undefined;
      const runner = path.join(__dirname, 'replay-runner.js');
      return { test: { runner, pool: 'forks', testTimeout: 0 } };
    },
    configResolved(config) {
      root = config.root;
    },
    transform(code, id) {
      const [file] = id.split('?');
      const own =
        SOURCE.test(file) && path.isAbsolute(file) && !/[\\/]node_modules[\\/]/.test(file);
      if (replays || !own || path.relative(root, file).startsWith('..')) return undefined;
      const { transpile } = require('../../transformer/transpile.js') as Transpile;
      const { stubs } = options;
      const done = transpile({ file, text: code, root, format: 'module', ...(stubs && { stubs }) });
      return done;
    },
  };
}

// Configurations are ES modules mostly, and see this as their default import.
export = detsim;
