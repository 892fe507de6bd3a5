/**
 * What detsim has to say about the code under the cursor: why a construct cannot be intercepted,
 * and what an `await` is to a sweep.
 */

import path from 'node:path';
import type ts from 'typescript';
import type { TypeScript } from '../transformer/analyzer/index.js';
import { awaitSiteAt } from './await-sites.js';
import { explain, findingsOf, isExamined, type Finding } from './findings.js';
import { lastSweepFor, seenAt } from './last-sweep.js';

/** Markdown about a piece of a file. */
export interface Hover {
  readonly start: number;
  readonly end: number;
  readonly markdown: string;
}

/** What there is to say about a position; undefined when there is nothing. */
export function hoverAt(
  ts: TypeScript,
  program: ts.Program,
  file: ts.SourceFile,
  position: number,
): Hover | undefined {
  if (!isExamined(program, file)) return undefined;
  const found = findingsOf(ts, program, file).filter(
    ({ start, end }) => start <= position && position <= end,
  );
  const parts = found.map(explain);
  const site = awaitSiteAt(ts, file, position);
  if (site !== undefined) {
    const { kind, line, column, fn } = site.sites[site.site]!;
    const place = `${siteFile(program, file)}:${line}:${column}`;
    const inside = fn === '' ? '' : ` in \`${fn}\``;
    const what = kind === 'forAwait' ? 'a yield point at each turn' : 'a yield point';
    const seen = seenAt(file.fileName, site.sites, site.site);
    parts.push([`detsim: ${what}, \`${place}\`${inside}.`, ...(seen ? [seen] : [])].join(' '));
  }
  if (parts.length === 0) return undefined;
  const { start, end } = site ?? narrowest(found);
  return { start, end, markdown: parts.join('\n\n') };
}

/** The answer of the host with ours below it; undefined when there is nothing to add. */
export function withHover(
  ts: TypeScript,
  program: ts.Program,
  file: ts.SourceFile,
  position: number,
  answer: ts.QuickInfo | undefined,
): ts.QuickInfo | undefined {
  const hover = hoverAt(ts, program, file, position);
  if (hover === undefined) return undefined;
  const { start, end, markdown } = hover;
  const text = (value: string): ts.SymbolDisplayPart => ({ kind: 'text', text: value });
  if (answer === undefined) {
    return {
      kind: ts.ScriptElementKind.keyword,
      kindModifiers: '',
      textSpan: { start, length: end - start },
      displayParts: [text(file.text.slice(start, end).split(/[\r\n]/)[0]!)],
      documentation: [text(markdown)],
    };
  }
  const before = answer.documentation ?? [];
  const gap = before.length > 0 ? [text('\n\n')] : [];
  return { ...answer, documentation: [...before, ...gap, text(markdown)] };
}

function narrowest(findings: readonly Finding[]): Finding {
  return findings.reduce((a, b) => (b.end - b.start < a.end - a.start ? b : a));
}

/** The path of a file as reports have it: from the root of a swept project, or of the program. */
function siteFile(program: ts.Program, file: ts.SourceFile): string {
  const { configFilePath } = program.getCompilerOptions();
  const root =
    lastSweepFor(file.fileName)?.root ??
    (typeof configFilePath === 'string'
      ? path.dirname(configFilePath)
      : program.getCurrentDirectory());
  return path.relative(root, file.fileName).split(path.sep).join('/');
}
