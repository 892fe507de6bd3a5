/**
 * The report for people.
 *
 * What matters most comes last, where the terminal stops: the commands to paste. Above them one
 * block for each finding, and above those what is only good to know.
 */

import type { Finding, FileReport, SweepReport } from './model.js';
import type { FlipStep } from '../../runtime/explore/flip.js';
import { codeFrame, framesOf, parsePosition } from './code-frame.js';
import { untestedLines } from './untested.js';
import type { Colors } from './style.js';
import {
  capitalized,
  count,
  formatDuration,
  formatNumber,
  KIND_NAMES,
  meaningOf,
  RUNG_MEANING,
  wrap,
} from './words.js';

/** How many seeds, lines of a message, or entries of a list are printed; the JSON has all. */
const SEEDS_SHOWN = 10;
const MESSAGE_LINES = 40;
const FRAMES_SHOWN = 6;
const LIST_SHOWN = 10;

/** Where sentences are broken into lines. */
const WIDTH = 100;

export interface PrettyOptions {
  /** What positions in the source are relative to. */
  readonly root: string;
  readonly colors: Colors;
  /** Whether to list what the trials have left untried. */
  readonly coverage?: boolean;
}

export function formatPretty(report: SweepReport, options: PrettyOptions): string {
  const sections = [
    fileLines(report.files, options.colors),
    loadErrors(report, options.colors),
    skippedTests(report, options.colors),
    list('Left over when a test ended (a warning)', leakLines(report), options.colors),
    list('Calls that detsim does not control', callLines(report), options.colors),
    options.coverage ? untestedLines(report.files, options.colors) : [],
    hazards(report, options),
    ...report.findings.map((finding, index) => findingBlock(finding, index, report, options)),
    summary(report, options.colors),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

// ---- good to know -------------------------------------------------------------------------------

function fileLines(files: readonly FileReport[], c: Colors): string[] {
  const rows = files.map((file) => [
    file.file,
    file.loadError === undefined ? count(file.tests, 'test') : 'did not load',
    file.loadError === undefined ? count(file.trials, 'trial') : '',
    file.loadError === undefined
      ? count(file.schedules, 'order of events', 'orders of events')
      : '',
    file.failed > 0 ? `${formatNumber(file.failed)} failed` : '',
  ]);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column].length)),
  );
  return files.flatMap((file, index) => {
    const bad = file.failed > 0 || file.loadError !== undefined;
    const cells = rows[index].map((cell, column) => cell.padEnd(widths[column]));
    const mark = bad ? c.red('✗') : c.green('✓');
    const line = `${mark} ${cells.join('  ').trimEnd()}`;
    return [line, ...file.notes.map((note) => c.dim(`    ${note}`))];
  });
}

function loadErrors(report: SweepReport, c: Colors): string[] {
  return report.files
    .filter((file) => file.loadError !== undefined)
    .flatMap((file) => [c.red(`${file.file} does not load:`), ...indent(file.loadError!, 4)]);
}

function skippedTests(report: SweepReport, c: Colors): string[] {
  const lines = report.skipped.map(
    ({ test, reason, always }) => `"${test}": ${reason}${always ? '' : ' (in some trials)'}`,
  );
  return list('Skipped', lines, c);
}

function leakLines(report: SweepReport): string[] {
  return report.leaks.map(({ test, text }) => `"${test}": ${text}`);
}

function callLines(report: SweepReport): string[] {
  const said = report.skipped.map(({ reason }) => reason).join('\n');
  return report.uncontrolled
    .map(({ call, site }) => `${call} at ${site}`)
    .filter((line) => !said.includes(line));
}

function list(title: string, lines: readonly string[], c: Colors): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, LIST_SHOWN).flatMap((line) => item(line, 2));
  const more = lines.length - LIST_SHOWN;
  return [c.yellow(title), ...shown, ...(more > 0 ? [`  - and ${formatNumber(more)} more`] : [])];
}

// ---- findings -----------------------------------------------------------------------------------

function hazards(report: SweepReport, options: PrettyOptions): string[] {
  if (report.hazards.length === 0) return [];
  const { colors: c } = options;
  const title =
    report.hazards.length === 1
      ? '1 hazard: not a failure, unless this can happen'
      : `${report.hazards.length} hazards: not failures, unless these can happen`;
  return [c.yellow(title), ...report.hazards.flatMap((hazard) => hazardLines(hazard, c))];
}

function hazardLines(hazard: Finding, c: Colors): string[] {
  const { minimized, minimal } = hazard;
  return [
    '',
    `  ${c.bold(hazard.test)}: ${firstLine(hazard.message)}`,
    ...(minimized?.sentences ?? []).flatMap((one) => item(capitalized(one), 4)),
    ...(hazard.note === undefined ? [] : [c.dim(`    ${hazard.note}`)]),
    `    ${RUNG_MEANING[hazard.rung]}`,
    `    ${minimal ?? hazard.reproduce}`,
  ];
}

function findingBlock(
  finding: Finding,
  index: number,
  report: SweepReport,
  options: PrettyOptions,
): string[] {
  const { colors: c } = options;
  const number = numbered(index, report);
  const { trace, minimized, note } = finding;
  const traces = [trace, minimized?.trace, minimized?.flip?.passingTrace].filter(
    (file) => file !== undefined,
  );
  const body = [
    ...message(finding),
    ...position(finding, options),
    ...framesOf(finding.stack, options.root).slice(0, FRAMES_SHOWN).map(c.dim),
    '',
    ...divergence(finding, c),
    ...deviations(finding),
    ...flip(finding, options),
    ...meaning(finding),
    howOften(finding),
    ...(note === undefined ? [] : [note]),
    ...traces.map((file, i) => c.dim(`${i === 0 ? 'Traces:' : '       '} ${file}`)),
  ];
  const margin = ' '.repeat(number.length);
  return [
    `${number}${c.bold(c.red(finding.test))}`,
    ...body.map((line) => `${margin}${line}`.trimEnd()),
  ];
}

function message(finding: Finding): string[] {
  const lines = `${KIND_NAMES[finding.kind]}: ${finding.message}`.split('\n');
  const more = lines.length - MESSAGE_LINES;
  return [...lines.slice(0, MESSAGE_LINES), ...(more > 0 ? [`… ${count(more, 'more line')}`] : [])];
}

function position(finding: Finding, { root, colors: c }: PrettyOptions): string[] {
  if (finding.site === undefined) return [];
  const place = parsePosition(finding.site);
  const frame = place === undefined ? [] : codeFrame(root, place);
  return [
    `at ${c.cyan(finding.site)}`,
    ...frame.map((line) => (line.startsWith('>') ? line : c.dim(line))),
  ];
}

function divergence({ replay }: Finding, c: Colors): string[] {
  if (replay?.divergence === undefined) return [];
  const { step, site, expected, got } = replay.divergence;
  return [
    c.red(`Not deterministic: a replay went another way at step ${step}.`),
    ...(site === '' ? [] : [`  where:    ${site}`]),
    `  expected: ${expected}`,
    `  got:      ${got}`,
    'Something that detsim does not control decides here: see the calls listed above, or look for',
    'state that outlives a trial (try --isolate=all).',
    '',
  ];
}

function deviations({ minimized }: Finding): string[] {
  if (minimized === undefined || minimized.sentences.length === 0) return [];
  return ['It fails when:', ...minimized.sentences.flatMap((one) => item(capitalized(one), 0)), ''];
}

/** The two steps that decide, each with its line. */
function flip({ minimized }: Finding, { root, colors: c }: PrettyOptions): string[] {
  if (minimized?.flip === undefined) return [];
  const { first, second } = minimized.flip;
  const step = (name: string, { task, does, site }: FlipStep): string[] => {
    const place = parsePosition(site);
    const [line = ''] = place === undefined ? [] : codeFrame(root, place, 0);
    const source = line.replace(/^>\s*\d+ \|\s*/, '');
    return [
      ...wrap(`${name}  ${task} ${does}`, WIDTH, '   '),
      `   ${c.cyan(site)}  ${c.dim(source)}`.trimEnd(),
    ];
  };
  return [
    'What decides is the order of two steps:',
    ...step('A', first),
    ...step('B', second),
    'It fails when A comes before B, and passes when B comes before A.',
    ...sharedBetween(minimized.flip.shared),
    '',
  ];
}

function meaning(finding: Finding): string[] {
  return wrap(meaningOf(finding), WIDTH, '');
}

/** Names in parentheses stand for what has no name: timers, the console, settled promises. */
function sharedBetween(names: readonly string[]): string[] {
  const shown = names.filter((name) => !name.startsWith('(')).map((name) => `\`${name}\``);
  return shown.length === 0 ? [] : [`Both use ${shown.join(', ')}.`];
}

function howOften({ rung, failed, seeds, trials, firstTrial, replay }: Finding): string {
  const times =
    seeds.length > 0 ? `with ${count(seeds.length, 'seed')}` : `in ${count(failed, 'trial')}`;
  const often = `fails ${times} of ${formatNumber(trials)}`;
  const proof = replay?.identical === true ? ' A fresh process replays it, event for event.' : '';
  return `Rung ${rung}; ${often}, first in trial ${formatNumber(firstTrial)}.${proof}`;
}

// ---- the end ------------------------------------------------------------------------------------

function summary(report: SweepReport, c: Colors): string[] {
  const { trials, passed, findings, elapsedMs, shapes, seed, cutShort } = report;
  if (trials === 0) return [c.red('No trial was run.')];
  const rate = formatNumber(Math.round((trials / Math.max(1, elapsedMs)) * 1000));
  const head = `${passed}/${trials} seeds passed`;
  const details = c.dim(
    ` in ${formatDuration(elapsedMs)}, ${count(shapes, 'order of events', 'orders of events')}, ${rate} trials/s`,
  );
  return [
    ...(cutShort === undefined ? [] : [CUT_SHORT[cutShort]]),
    ...(seed === 0
      ? []
      : [c.dim(`Base seed ${seed}: with --seed=${seed} the same sweep runs again.`)]),
    `${findings.length > 0 ? c.red(head) : c.green(head)}${details}`,
    ...findings.flatMap((finding, index) => commands(finding, index, report, c)),
  ];
}

const CUT_SHORT = {
  interrupted: 'Interrupted: this is what was found so far.',
  'time budget': 'The time budget is spent: this is what was found in it.',
} as const;

function commands(finding: Finding, index: number, report: SweepReport, c: Colors): string[] {
  const { seeds, reproduce, minimal } = finding;
  const more = seeds.length - SEEDS_SHOWN;
  const shown = seeds.slice(0, SEEDS_SHOWN).join(' ');
  const title = report.findings.length > 1 ? ['', `${numbered(index, report)}${finding.test}`] : [];
  return [
    ...title,
    ...(seeds.length === 0
      ? []
      : [`failing seeds: [${shown}${more > 0 ? ` and ${formatNumber(more)} more` : ''}]`]),
    `reproduce with: ${c.cyan(reproduce)}`,
    ...(minimal === undefined || minimal === reproduce
      ? []
      : [`minimal:        ${c.cyan(minimal)}`]),
  ];
}

// ---- text ---------------------------------------------------------------------------------------

function numbered(index: number, { findings }: SweepReport): string {
  return findings.length > 1 ? `${index + 1}) ` : '✗ ';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0];
}

/** An entry of a list, in as many lines as it takes. */
function item(text: string, margin: number): string[] {
  const spaces = ' '.repeat(margin);
  return wrap(`${spaces}- ${text}`, WIDTH, `${spaces}  `);
}

function indent(text: string, spaces: number): string[] {
  const margin = ' '.repeat(spaces);
  return text.split('\n').map((line) => `${margin}${line}`.trimEnd());
}
