/**
 * The page of results: a table for each mode, a row for each case.
 *
 * A finding counts as the bug only when the fixed version does not show the same failure on the
 * same rung or below.
 */

import { RUNGS, type RungName } from '../../runtime/kernel/rung.js';
import type { CaseResults, Mode, Results } from '../corpus.js';
import type { Case } from './cases.js';
import { figuresOf } from './figures.js';
import type { Finding, Sweep } from './sweeps.js';

const HEADINGS: Record<Mode, string> = {
  random: 'As they stand: the tests draw their delays with Math.random',
  fixed: 'Every delay at the middle of its range: nothing random is left in the tests',
  instant: 'Stand-ins that answer at once: nothing waits',
};

const INTRODUCTION = `# Real bugs in real packages

Each case is a mocha test and an npm package, at a version with a known bug and at the one that has
the fix. What is listed was found by \`detsim sweep\` in its default settings; a finding counts only
if the fixed version does not fail in the same way on the same rung or below. The page is written
by \`bench/corpus.ts\`.

- **found at**: the first trial that fails with the bug; **plain**: the same when the package has
  no yield points (\`instrument\` is empty), so that only the test has them.
- **failing**: the share of all trials that fail with it.
- **rung**: the highest rung that the minimized schedule needs (see [rungs.md](rungs.md)).
- **decisions**: choices made in the failing run, and in the minimized one up to the last that
  differs from plain Node; **deviations**: how many of those do.
- **s**: seconds for the whole sweep, start-up, compiling, minimizing and replays included.
- **replay**: whether a fresh process gave the same trace, byte for byte.
- **fixed version**: trials, findings (on \`stubs\` or below), hazards (on \`any\`). What they are
  is told in [corpus-hazards.md](corpus-hazards.md).
`;

const FIGURES_HEADING = '## What the findings are worth';
const FIGURES = `${FIGURES_HEADING}

All findings of the buggy versions, in all tables below. A trace alone is replayed as the schedule
of its deviations, without the seed that it comes from (\`detsim replay --relocate\`); it has to
fail in the same way, and each step has to go as in the trace. Confirmed is what
\`detsim confirm\` makes fail in the same way on plain Node, with real timers and real delays.
`;

const HAZARDS_HEADING = '## Hazards on the fixed versions';
const HAZARDS = `${HAZARDS_HEADING}

The minimized schedule of each, as the report shows it. What they mean is said in
[corpus-hazards.md](corpus-hazards.md).
`;

/** Finds the bug: the first failure on the lowest rung that the fixed version does not have. */
export function findBug(buggy: Sweep | undefined, fixed: Sweep | undefined): Finding | undefined {
  const known = new Map<string, number>();
  for (const one of [...(fixed?.findings ?? []), ...(fixed?.hazards ?? [])]) {
    const before = known.get(signatureOf(one)) ?? Infinity;
    known.set(signatureOf(one), Math.min(before, rungOf(one)));
  }
  return [...(buggy?.findings ?? []), ...(buggy?.hazards ?? [])]
    .filter((one) => rungOf(one) < (known.get(signatureOf(one)) ?? Infinity))
    .sort((a, b) => rungOf(a) - rungOf(b) || a.firstTrial - b.firstTrial)[0];
}

function rungOf(finding: Finding): number {
  return RUNGS.indexOf(finding.rung as RungName);
}

/** A signature in which both versions of the package have one name. */
function signatureOf(finding: Finding): string {
  return finding.signature.replaceAll('node_modules/fixed/', 'node_modules/buggy/');
}

/**
 * The whole page.
 * @param before the page as it was: it keeps the sections of which there are no results
 */
export function renderTables(cases: readonly Case[], results: Results, before: string): string {
  const old = before.split(/^(?=## )/m);
  const kept = (heading: string): string[] => old.filter((part) => part.startsWith(heading));
  const sections = [(io: string) => io === 'none', (io: string) => io !== 'none'].flatMap((has) => {
    const some = cases.filter(({ io }) => has(io));
    return (Object.keys(HEADINGS) as Mode[]).flatMap((mode) => {
      const heading = `## ${has('none') ? '' : 'With real I/O: '}${HEADINGS[mode]}`;
      const made = some.some(({ name }) => results[mode]?.[name] !== undefined);
      return made ? [renderMode(heading, some, results[mode]!)] : kept(heading);
    });
  });
  const hazards = renderHazards(cases, results);
  const figures = figuresOf(results);
  const worth = figures.length === 0 ? kept(FIGURES_HEADING) : [[FIGURES, ...figures].join('\n')];
  return [INTRODUCTION, ...worth, ...sections, ...(hazards ?? kept(HAZARDS_HEADING))]
    .map((section) => `${section.trimEnd()}\n`)
    .join('\n');
}

/** What fails on the fixed versions when awaits take long: each is explained by hand elsewhere. */
function renderHazards(cases: readonly Case[], results: Results): string[] | undefined {
  const lines = (Object.keys(HEADINGS) as Mode[]).flatMap((mode) =>
    cases.flatMap(({ name }) =>
      (results[mode]?.[name]?.fixed?.hazards ?? []).flatMap((hazard) => [
        `- ${name}, ${mode} times: ${hazard.seeds.length} of ` +
          `${results[mode]![name]!.fixed!.trials} trials, \`${firstLine(hazard.message)}\``,
        ...hazard.sentences.map((sentence) => `  - ${sentence}`),
      ]),
    ),
  );
  return lines.length === 0 ? undefined : [[HAZARDS, ...lines].join('\n')];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}

function renderMode(
  heading: string,
  cases: readonly Case[],
  results: Readonly<Record<string, CaseResults>>,
): string {
  const columns =
    'case|found at|plain|failing|rung|decisions|deviations|s|replay|fixed version|fixed, plain';
  const rows = cases
    .filter(({ name }) => results[name] !== undefined)
    .map((one) => `| ${renderCase(one, results[one.name]!).join(' | ')} |`);
  const found = cases.filter(({ name }) => {
    const { buggy, fixed } = results[name] ?? {};
    return findBug(buggy, fixed) !== undefined;
  });
  return [
    heading,
    '',
    `Found: ${found.length} of ${rows.length}.`,
    '',
    `| ${columns.split('|').join(' | ')} |`,
    `|${columns.replace(/[^|]+/g, '---')}|`,
    ...rows,
    '',
  ].join('\n');
}

function renderCase({ title, name }: Case, results: CaseResults): string[] {
  const { buggy, buggyPlain, fixed, fixedPlain } = results;
  const bug = findBug(buggy, fixed);
  const plain = findBug(buggyPlain, fixedPlain);
  const first = [`${name.slice(0, 2)} ${title}`];
  const last = [renderFixed(fixed), renderFixed(fixedPlain)];
  if (bug === undefined || buggy === undefined) {
    const why = buggy?.error === undefined ? 'not found' : 'no report';
    return [...first, why, renderTrial(plain, buggyPlain), '', '', '', '', '', '', ...last];
  }
  return [
    ...first,
    String(bug.firstTrial),
    renderTrial(plain, buggyPlain),
    `${((100 * bug.seeds.length) / buggy.trials).toFixed(1)}%`,
    bug.rung,
    `${bug.decisions} → ${bug.minimized ?? '?'}`,
    String(bug.deviations ?? '?'),
    buggy.seconds.toFixed(1),
    renderReplay(bug),
    ...last,
  ];
}

function renderReplay({ replay }: Finding): string {
  if (replay === null) return 'none';
  return replay.identical ? 'identical' : 'differs';
}

/** Where a sweep without yield points in the package found the bug, with the rung. */
function renderTrial(bug: Finding | undefined, sweep: Sweep | undefined): string {
  if (sweep === undefined) return '';
  if (sweep.error !== undefined) return 'no report';
  return bug === undefined ? 'not found' : `${bug.firstTrial} (${bug.rung})`;
}

function renderFixed(sweep: Sweep | undefined): string {
  if (sweep === undefined) return '';
  if (sweep.error !== undefined) return 'no report';
  return `${sweep.trials}: ${sweep.findings.length}, ${sweep.hazards.length}`;
}
