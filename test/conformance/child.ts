/**
 * Runs programs one after another in one way, and prints a line of JSON with what each has logged.
 *
 *     node child.js WAY FILE...
 *
 * A program ends when the event loop has nothing left. The next one starts from an immediate, so
 * that it finds the loop as fresh as the first did.
 */

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../../cli/config.js';
import { Overlay } from '../../cli/overlay/overlay.js';
import { findRoot, Project } from '../../cli/overlay/project.js';
import { ANY, NATIVE } from '../../runtime/kernel/rung.js';
import { Loader } from '../../runtime/loader/loader.js';
import { pristine } from '../../runtime/node/pristine.js';
import { outside, simulate, start } from './simulate.js';

/** In which way the programs of a child run. */
export type Way = 'plain' | 'outside' | 'native' | 'any';

/** What a child prints for each program. */
export interface Logged {
  readonly file: string;
  readonly lines: readonly string[];
}

type Run = (file: string) => void;

/** Real functions, taken before the virtual builtins are in place. */
const { setImmediate: soon } = pristine;
const { writeSync } = fs;

function runner(way: Way, file: string): Run {
  if (way === 'plain') return runPlain;
  const { install } = require('../../runtime/node/install.js') as {
    install(): void;
  };
  install();
  const root = findRoot(path.dirname(file));
  const overlay = new Overlay(new Project(root, loadConfig(root).config));
  const registry = new Loader(overlay, { outside }).fresh();
  if (way === 'outside') return (one) => start(registry, one);
  return (one) => simulate(registry, one, way === 'native' ? NATIVE : ANY);
}

function runPlain(file: string): void {
  if (file.endsWith('.cjs')) require(file);
  else void import(pathToFileURL(file).href);
}

function main(way: Way, files: string[]): void {
  const run = runner(way, files[0]);
  let lines: string[] = [];
  Object.assign(globalThis, {
    log: (...values: unknown[]) => void lines.push(values.map(String).join(' ')),
  });
  let index = 0;
  process.on('beforeExit', () => {
    writeSync(1, JSON.stringify({ file: files[index], lines } satisfies Logged) + '\n');
    lines = [];
    index++;
    if (index < files.length) soon(() => run(files[index]));
  });
  run(files[0]);
}

main(process.argv[2] as Way, process.argv.slice(3));
