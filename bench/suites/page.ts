/**
 * The section of docs/io.md about other people's suites: a row for each package, and each test that
 * passes on plain Node and not in the simulation, by its reason.
 */

import type { Comparison } from './compare.js';
import { REASONS, type Package } from './packages.js';

export interface Result extends Comparison {
  readonly version: string;
}

const HEADING = "## Other people's suites";

const INTRODUCTION = `${HEADING}

The tests that packages come with, run by mocha on plain Node and as the one trial of
\`detsim sweep --order=native --trials=1\`. **Plain** counts the tests that pass on plain Node,
**simulated** how many of them pass in the simulation as well. \`bench/suites.ts\` runs them and
writes this section.

| package | version | plain | simulated | of them |
| --- | --- | --- | --- | --- |
`;

/** @returns the page with its section made anew */
export function withSection(
  page: string,
  packages: readonly Package[],
  results: Readonly<Record<string, Result | undefined>>,
): string {
  const begin = page.indexOf(HEADING);
  const rest = begin < 0 ? -1 : page.indexOf('\n## ', begin);
  const before = begin < 0 ? `${page.trimEnd()}\n\n` : page.slice(0, begin);
  const after = rest < 0 ? '' : page.slice(rest);
  return `${before}${renderSection(packages, results)}${after}`;
}

function renderSection(
  packages: readonly Package[],
  results: Readonly<Record<string, Result | undefined>>,
): string {
  const rows: string[] = [];
  const lists: string[] = [];
  for (const { name } of packages) {
    const result = results[name];
    if (result === undefined) continue;
    const { version, plain, simulated, lost } = result;
    const share = Math.floor((1000 * simulated) / plain) / 10;
    rows.push(`| ${[name, version, plain, simulated, `${share}%`].join(' | ')} |`);
    if (lost.length > 0) lists.push(renderLost(name, lost));
  }
  const heading = '\nWhat passes on plain Node and not in the simulation:\n\n';
  return `${INTRODUCTION}${rows.join('\n')}\n${heading}${lists.join('\n')}\n`;
}

/** The tests of one reason share a line. */
function renderLost(name: string, lost: Comparison['lost']): string {
  const byReason = new Map<string, string[]>();
  for (const { test, message } of lost) {
    const reason = reasonOf(message);
    byReason.set(reason, [...(byReason.get(reason) ?? []), test]);
  }
  return [...byReason]
    .map(([reason, tests]) => `- **${name}**: ${reason} ${tests.map(quote).join('; ')}.`)
    .join('\n');
}

function reasonOf(message: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(message));
  return known?.[1] ?? `Not looked at yet: \`${message.split('\n')[0]}\`.`;
}

function quote(title: string): string {
  return `"${title.replaceAll(/[*_<|]/g, '\\$&')}"`;
}
