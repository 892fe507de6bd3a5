/**
 * What a rule is: data for people, and the kinds of nodes it wants to see. A rule never walks a
 * file by itself; one walk serves all of them.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import type { Names } from './names.js';
import type { Types } from './types.js';

export type Severity = 'error' | 'warning';

/** A replacement of the text between two offsets of the file. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A way to get rid of a diagnostic. */
export interface Fix {
  /** What an editor shows, in the imperative. */
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** Whether `detsim check --fix` may apply it: the program keeps its meaning. */
  readonly safe: boolean;
}

/** What a rule has found; offsets are those of the file's text. */
export interface Finding {
  readonly rule: RuleInfo;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly fixes: readonly Fix[];
}

/** What people get to know of a rule. */
export interface RuleInfo {
  /** `DS1xxx`; errors are below DS1100. */
  readonly code: string;
  /** Kebab case; the name of the rule's file. */
  readonly name: string;
  readonly severity: Severity;
  /** What is flagged, for tables and headings; without a full stop. */
  readonly summary: string;
  /** What exactly is flagged, and what is left alone; Markdown. */
  readonly flagged: string;
  /** Why a simulation cannot control it; Markdown. */
  readonly why: string;
  /** What to write instead; Markdown. */
  readonly instead: string;
  /** A program that is flagged, and one that is not. */
  readonly example: { readonly bad: string; readonly good: string };
}

/** What a rule can ask, for the file that is being checked. */
export interface RuleContext {
  readonly ts: TypeScript;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly file: ts.SourceFile;
  /** Which global, or export of one of Node's modules, an expression is. */
  readonly names: Names;
  readonly types: Types;
  /** Reports `node`, from its first token to its end. */
  readonly report: (node: ts.Node, message: string, fixes?: readonly Fix[]) => void;
}

export type Visit<N extends ts.Node = ts.Node> = (node: N, context: RuleContext) => void;

/** A kind of node, and what to do at each. */
export type Listener = readonly [kind: ts.SyntaxKind, visit: Visit];

export interface Rule extends RuleInfo {
  readonly listeners: (ts: TypeScript) => readonly Listener[];
}

/** A listener whose visit function takes the type of node that goes with `kind`. */
export function on<N extends ts.Node>(kind: N['kind'], visit: Visit<N>): Listener {
  return [kind, visit as unknown as Visit];
}
