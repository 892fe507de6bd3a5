/**
 * `detsim report`: a sweep as one page that needs nothing from anywhere else, and no script.
 */

import { RUNGS } from '../../runtime/kernel/rung.js';
import { untestedOf, type LastReport } from '../sweep/last-sweep.js';
import type { SiteCoverage } from '../sweep/site-coverage.js';
import { COLORS, escape } from '../trace/page-style.js';
import { codeFrame, framesOf, parsePosition } from './code-frame.js';
import type { FileReport, Finding, SweepReport } from './model.js';
import { growthPlot, strategyPlot, timePlot } from './plots.js';
import {
  capitalized,
  count,
  formatDuration,
  formatNumber,
  KIND_NAMES,
  meaningOf,
} from './words.js';

const STYLE = `${COLORS}
* { box-sizing: border-box; }
body {
  background: var(--back); color: var(--text); margin: 0 auto; max-width: 1040px;
  font: 14px/1.5 ui-sans-serif, system-ui, sans-serif; padding: 28px 24px 60px;
}
h1 { font-size: 22px; margin: 0 0 4px; }
h2 {
  border-bottom: 1px solid var(--line); font-size: 16px; margin: 36px 0 14px;
  padding-bottom: 6px;
}
h3 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
p { margin: 6px 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
.dim { color: var(--dim); }
.red { color: var(--red); }
.facts { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 0; padding: 0; }
.facts li {
  background: var(--panel); border: 1px solid var(--line); border-radius: 8px; list-style: none;
  padding: 8px 14px;
}
.facts b { display: block; font-size: 19px; font-weight: 600; }
.facts span { color: var(--dim); font-size: 12px; }
article {
  border: 1px solid var(--line); border-left: 3px solid var(--red); border-radius: 8px;
  margin: 14px 0; padding: 14px 18px;
}
article.hazard { border-left-color: var(--amber); }
.rung {
  background: var(--band); border-radius: 10px; font-size: 12px; margin-left: 8px;
  padding: 2px 9px; white-space: nowrap;
}
pre, code { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre {
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px; margin: 8px 0;
  overflow-x: auto; padding: 8px 12px;
}
pre .here { background: var(--mark); display: block; }
h4 { color: var(--dim); font-size: 12px; font-weight: 600; margin: 14px 0 4px; }
ul.plain { margin: 4px 0; padding-left: 18px; }
ol.flip { margin: 4px 0; padding-left: 22px; }
table { border-collapse: collapse; width: 100%; }
th { color: var(--dim); font-size: 12px; font-weight: 600; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 10px 5px 0; vertical-align: top; }
td.number, th.number { text-align: right; }
td { overflow-wrap: anywhere; }
.plots { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); }
figure { border: 1px solid var(--line); border-radius: 8px; margin: 0; padding: 10px 12px 6px; }
figcaption { color: var(--dim); font-size: 12px; font-weight: 600; }
svg { display: block; height: auto; width: 100%; }
svg text { fill: var(--dim); font-size: 11px; }
svg .grid { stroke: var(--line); }
svg .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
svg .curve.accent { stroke: var(--accent); }
svg .curve.amber { stroke: var(--amber); }
svg text.accent { fill: var(--accent); }
svg text.amber { fill: var(--amber); }
svg .bar { fill: var(--accent); opacity: 0.8; }
details { margin: 8px 0; }
summary { cursor: pointer; }
`;

/** No script, and nothing from anywhere, whatever a test's message holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** @param root what positions in the source are relative to */
export function formatPage(last: LastReport, root: string, name: string): string {
  const { report } = last;
  const title = `detsim: ${name === '' ? 'a sweep' : name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${head(report, title)}
${findings('Findings', 'finding', report.findings, root)}
${findings('Hazards', 'hazard', report.hazards, root)}
${files(report.files)}
${plots(last)}
${coverage(last)}
${lists(report)}
</body>
</html>
`;
}

function head(report: SweepReport, title: string): string {
  const { trials, passed, elapsedMs, shapes, outcomes, seed, order, failOn, cutShort } = report;
  const facts: [string, string][] = [
    [String(report.findings.length), report.findings.length === 1 ? 'finding' : 'findings'],
    [String(report.hazards.length), report.hazards.length === 1 ? 'hazard' : 'hazards'],
    [`${formatNumber(passed)}/${formatNumber(trials)}`, 'trials passed'],
    [formatNumber(shapes), 'orders of events'],
    [formatNumber(outcomes), 'outcomes'],
    [formatDuration(elapsedMs), 'wall clock'],
    [formatNumber(Math.round((trials / Math.max(1, elapsedMs)) * 1000)), 'trials/s'],
  ];
  const cut = cutShort === undefined ? '' : ` It was cut short: ${cutShort}.`;
  const list = facts.map(([value, what]) => `<li><b>${value}</b><span>${what}</span></li>`);
  return (
    `<h1>${escape(title)}</h1><p class="dim">Base seed ${seed}, explored up to rung ` +
    `<code>${order}</code>, fails on rungs up to <code>${failOn}</code>.${cut}</p>` +
    `<ul class="facts">${list.join('')}</ul>`
  );
}

// ---- findings -----------------------------------------------------------------------------------

function findings(title: string, kind: string, all: readonly Finding[], root: string): string {
  if (all.length === 0) return kind === 'hazard' ? '' : `<h2>${title}</h2><p>None.</p>`;
  const sorted = [...all].sort((a, b) => RUNGS.indexOf(a.rung) - RUNGS.indexOf(b.rung));
  return `<h2>${title}</h2>${sorted.map((one) => article(one, kind, root)).join('')}`;
}

function article(finding: Finding, kind: string, root: string): string {
  const { test, file, message, site, stack, rung, failed, trials, firstTrial } = finding;
  const { minimized, minimal, reproduce, note, replay } = finding;
  const sentences = minimized?.sentences ?? [];
  const traces = [finding.trace, minimized?.trace, minimized?.flip?.passingTrace];
  const named = traces.filter((one) => one !== undefined);
  const frames = framesOf(stack, root).slice(0, 6).join('\n');
  return [
    `<article class="${kind}">`,
    `<h3>${escape(test)}<span class="rung">rung ${rung}</span></h3>`,
    `<p class="dim">${escape(file)}</p>`,
    `<p class="red">${escape(`${KIND_NAMES[finding.kind]}: ${message}`)}</p>`,
    site === undefined ? '' : frameOf(site, root),
    frames === '' ? '' : `<details><summary class="dim">Stack</summary>${pre(frames)}</details>`,
    sentences.length === 0
      ? ''
      : `<h4>It fails when</h4><ul class="plain">${sentences
          .map((one) => `<li>${inline(capitalized(one))}</li>`)
          .join('')}</ul>`,
    flip(finding, root),
    `<p>${inline(meaningOf(finding))}</p>`,
    `<p class="dim">Fails in ${formatNumber(failed)} of ${count(trials, 'trial')}, first in trial ` +
      `${formatNumber(firstTrial)}.${replayed(replay)}</p>`,
    note === undefined ? '' : `<p>${escape(note)}</p>`,
    minimized === undefined
      ? ''
      : `<h4>Schedule: ${count(minimized.deviations, 'deviation')} of ` +
        `${count(finding.decisions, 'decision')}</h4>${pre(minimized.schedule)}`,
    `<h4>Reproduce with</h4>${pre(minimal ?? reproduce)}`,
    named.length === 0
      ? ''
      : `<h4>Traces</h4><ul class="plain">${named
          .map((one) => `<li><code>${escape(one)}</code></li>`)
          .join('')}</ul>`,
    '</article>',
  ].join('\n');
}

function replayed(replay: Finding['replay']): string {
  if (replay === undefined) return '';
  if (replay.identical) return ' A fresh process replays it, event for event.';
  const { step = 0, expected = '', got = '' } = replay.divergence ?? {};
  const other = `${escape(expected)} was expected, not ${escape(got)}`;
  return ` Not deterministic: at step ${step} ${other}.`;
}

function flip({ minimized }: Finding, root: string): string {
  if (minimized?.flip === undefined) return '';
  const steps = [minimized.flip.first, minimized.flip.second].map(
    ({ task, does, site }) => `<li>${escape(task)} ${escape(does)}${frameOf(site, root, 1)}</li>`,
  );
  return (
    `<h4>What decides is the order of two steps</h4><ol class="flip" type="A">${steps.join('')}` +
    '</ol><p>It fails when A comes before B, and passes when B comes before A.</p>'
  );
}

function frameOf(site: string, root: string, around = 2): string {
  const place = parsePosition(site);
  const lines = place === undefined ? [] : codeFrame(root, place, around);
  const code = lines.map((line) =>
    line.startsWith('>') ? `<span class="here">${escape(line)}</span>` : `${escape(line)}\n`,
  );
  const at = `<p class="dim">at <code>${escape(site)}</code></p>`;
  return code.length === 0 ? at : `${at}<pre>${code.join('')}</pre>`;
}

// ---- files --------------------------------------------------------------------------------------

function files(all: readonly FileReport[]): string {
  const rows = all.map((file) => {
    const cells = [file.tests, file.trials, file.failed, file.schedules];
    const numbers = cells.map((cell) => `<td class="number">${formatNumber(cell)}</td>`).join('');
    const notes = [...file.notes, ...(file.loadError === undefined ? [] : ['It does not load.'])];
    const below = notes.map((note) => `<p class="dim">${escape(note)}</p>`).join('');
    return `<tr><td>${escape(file.file)}${below}</td>${numbers}</tr>`;
  });
  const heads = ['tests', 'trials', 'failed', 'orders of events'];
  const columns = heads.map((one) => `<th class="number">${one}</th>`).join('');
  return `<h2>Files</h2><table><tr><th>file</th>${columns}</tr>${rows.join('')}</table>`;
}

function plots({ report, histories }: LastReport): string {
  const shown = report.files.filter(({ file, trials }) => trials > 1 && histories[file]);
  return shown
    .map(({ file }) => {
      const history = histories[file];
      const drawn = [growthPlot(history), strategyPlot(history), timePlot(history)];
      return `<h2>Trials of ${escape(file)}</h2><div class="plots">${drawn.join('')}</div>`;
    })
    .join('');
}

function coverage({ report, coverage: all }: LastReport): string {
  const tables = report.files.map(({ file }) => coverageOf(file, all[file])).join('');
  return tables === '' ? '' : `<h2>Coverage of schedules</h2>${tables}`;
}

function coverageOf(file: string, covered: SiteCoverage | undefined): string {
  const awaits = covered?.sites.filter(({ kind }) => kind === 'await') ?? [];
  if (covered === undefined || awaits.length === 0) return '';
  const { neverOvertaken, neverInterleaved } = untestedOf(covered);
  const rows = awaits.map(
    ({ position, text, fn, overtaken, failing, rejected }) =>
      `<tr><td><code>${escape(position)}</code></td><td><code>${escape(text)}</code> ` +
      `<span class="dim">in ${escape(fn)}</span></td>` +
      `<td class="number">${formatNumber(overtaken)}</td>` +
      `<td class="number">${formatNumber(failing)}</td><td>${rejected ? 'yes' : 'no'}</td></tr>`,
  );
  const pairs = neverInterleaved.map((pair) => `<li>${escape(pair.join(' and '))}</li>`).join('');
  const head =
    '<tr><th>await</th><th></th><th class="number">overtaken in</th>' +
    '<th class="number">of these failed</th><th>rejected</th></tr>';
  return (
    `<details open><summary>${escape(file)}: ${awaits.length - neverOvertaken.length} of ` +
    `${count(awaits.length, 'await')} overtaken</summary>` +
    `<table>${head}${rows.join('')}</table>` +
    (pairs === '' ? '' : `<h4>Never interleaved</h4><ul class="plain">${pairs}</ul>`) +
    '</details>'
  );
}

function lists({ skipped, leaks, uncontrolled }: SweepReport): string {
  return [
    list(
      'Skipped',
      skipped.map(({ test, reason }) => `${test}: ${reason}`),
    ),
    list(
      'Left over when a test ended',
      leaks.map(({ test, text }) => `${test}: ${text}`),
    ),
    list(
      'Calls that detsim does not control',
      uncontrolled.map(({ call, site }) => `${call} at ${site}`),
    ),
  ].join('');
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const items = lines.map((line) => `<li>${escape(line)}</li>`).join('');
  return `<h2>${title}</h2><ul class="plain">${items}</ul>`;
}

function pre(text: string): string {
  return `<pre>${escape(text)}</pre>`;
}

/** Text with its `code`. */
function inline(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
