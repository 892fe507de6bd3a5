#!/usr/bin/env node
/**
 * The `detsim` command. Loads next to nothing by itself: `detsim --version` must be quick.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);

function version(): string {
  const manifest = path.join(__dirname, '../../package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(
      `detsim needs Node 20.19 or later, and this is Node ${process.versions.node}. Update Node.\n`,
    );
    return 2;
  }
  if (argv[0] === '--version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const { runProgram } = await import('./program.js');
  return runProgram(argv, version());
}

main().then(
  (status) => (process.exitCode = status),
  async (error: unknown) => {
    const { reportError } = await import('./report/error.js');
    process.exitCode = reportError(error);
  },
);
