/**
 * The yield point under the cursor: which site of the file an `await` is.
 *
 * Sites need syntax only, so they are computed once for each version of a file, and only when
 * somebody points at an `await`.
 */

import type ts from 'typescript';
import {
  analyze,
  type Analysis,
  type Site,
  type TypeScript,
} from '../transformer/analyzer/index.js';

/** An `await` of a file. */
export interface AwaitSite {
  /** The keyword. */
  readonly start: number;
  readonly end: number;
  /** The index in `sites`. */
  readonly site: number;
  /** All sites of the file. */
  readonly sites: readonly Site[];
}

const analyses = new WeakMap<ts.SourceFile, Analysis>();

/** The site of the `await`, or the `await` of `for await`, whose keyword is at a position. */
export function awaitSiteAt(
  ts: TypeScript,
  file: ts.SourceFile,
  position: number,
): AwaitSite | undefined {
  const found = findAwait(ts, file, position);
  if (found === undefined) return undefined;
  let analysis = analyses.get(file);
  if (analysis === undefined) analyses.set(file, (analysis = analyze(ts, file, false)));
  const edit = analysis.edits.get(found.node);
  const site = edit !== undefined && 'site' in edit ? edit.site : undefined;
  if (site === undefined) return undefined;
  const { start, end } = found;
  return { start, end, site, sites: analysis.sites };
}

interface FoundAwait {
  readonly node: ts.Node;
  readonly start: number;
  readonly end: number;
}

const KEYWORD_LENGTH = 'await'.length;

function findAwait(ts: TypeScript, file: ts.SourceFile, position: number): FoundAwait | undefined {
  const keywordAt = (node: ts.Node, start: number): FoundAwait | undefined =>
    position >= start && position <= start + KEYWORD_LENGTH
      ? { node, start, end: start + KEYWORD_LENGTH }
      : undefined;
  let node: ts.Node | undefined = file;
  let found: FoundAwait | undefined;
  while (node !== undefined) {
    if (ts.isAwaitExpression(node)) found = keywordAt(node, node.getStart(file)) ?? found;
    if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) {
      found = keywordAt(node, node.awaitModifier.getStart(file)) ?? found;
    }
    node = ts.forEachChild(node, (child) =>
      child.pos <= position && position < child.end ? child : undefined,
    );
  }
  return found;
}
