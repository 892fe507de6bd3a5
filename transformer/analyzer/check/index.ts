/**
 * Checks one file of a program: all rules in one walk, less what comments in the file silence.
 *
 * The walk is iterative, and rules are found by the kind of a node, so that a file costs little
 * more than its number of nodes. The checker is asked only where a rule looks closer.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import { rules } from '../rules/index.js';
import { ignoreDirective } from '../rules/ignore-directive.js';
import { directivesOf, silences, type Directive } from './ignore.js';
import { Names } from './names.js';
import type { Finding, Rule, RuleContext, RuleInfo, Visit } from './rule.js';
import { Types } from './types.js';

export type { Finding, Fix, RuleInfo, Severity, TextEdit } from './rule.js';
export { ignoreFile, ignoreNextLine } from './ignore.js';
export { diagnosticCode, toDiagnostic } from './diagnostics.js';
export { rules };

/** Rules by the kinds of nodes they want, for one TypeScript module. */
type Table = readonly (readonly { readonly rule: Rule; readonly visit: Visit }[] | undefined)[];

interface ProgramState {
  readonly names: Names;
  readonly types: Types;
  readonly checker: ts.TypeChecker;
}

const tables = new WeakMap<TypeScript, Table>();
const states = new WeakMap<ts.Program, ProgramState>();

/**
 * The findings in one file, in order of position.
 * @param ts the TypeScript module that made the program
 */
export function checkFile(ts: TypeScript, program: ts.Program, file: ts.SourceFile): Finding[] {
  if (file.isDeclarationFile) return [];
  const found: Finding[] = [];
  walk(ts, tableFor(ts), file, contextFor(ts, program, file, found));
  const directives = directivesOf(ts, file);
  const loud =
    directives.length === 0 ? found : found.filter((one) => !isSilenced(file, directives, one));
  loud.push(...directives.flatMap(complaint));
  return loud.sort((a, b) => a.start - b.start || a.end - b.end || compare(a.rule, b.rule));
}

function compare(a: RuleInfo, b: RuleInfo): number {
  return a.code < b.code ? -1 : a.code > b.code ? 1 : 0;
}

function isSilenced(file: ts.SourceFile, directives: readonly Directive[], one: Finding): boolean {
  const { line } = file.getLineAndCharacterOfPosition(one.start);
  return directives.some((directive) => silences(directive, one.rule.code, line));
}

/** What is wrong with a comment that is meant to silence a rule. */
function complaint({ codes, reason, start, end }: Directive): Finding[] {
  const unknown = codes.find((code) => !rules.some((rule) => rule.code === code));
  const message =
    codes.length === 0
      ? 'This comment names no rule: write `detsim-ignore-next-line DS1234: reason`.'
      : unknown !== undefined
        ? `There is no rule ${unknown}: correct the code in this comment.`
        : reason === ''
          ? 'This comment gives no reason, so it silences nothing: ' +
            `write \`${codes.join(', ')}: reason\`.`
          : undefined;
  return message === undefined ? [] : [{ rule: ignoreDirective, start, end, message, fixes: [] }];
}

function tableFor(ts: TypeScript): Table {
  let table = tables.get(ts);
  if (table === undefined) {
    const made: { rule: Rule; visit: Visit }[][] = [];
    for (const rule of rules) {
      for (const [kind, visit] of rule.listeners(ts)) (made[kind] ??= []).push({ rule, visit });
    }
    tables.set(ts, (table = made));
  }
  return table;
}

function contextFor(
  ts: TypeScript,
  program: ts.Program,
  file: ts.SourceFile,
  found: Finding[],
): RuleContext & { rule: Rule | undefined } {
  let state = states.get(program);
  if (state === undefined) {
    const checker = program.getTypeChecker();
    const names = new Names(ts, checker);
    state = { checker, names, types: new Types(ts, checker, names) };
    states.set(program, state);
  }
  const context: RuleContext & { rule: Rule | undefined } = {
    ts,
    program,
    file,
    ...state,
    rule: undefined,
    report: (node, message, fixes = []) => {
      const { rule } = context;
      found.push({ rule: rule!, start: node.getStart(file), end: node.end, message, fixes });
    },
  };
  return context;
}

function walk(
  ts: TypeScript,
  table: Table,
  file: ts.SourceFile,
  context: RuleContext & { rule: Rule | undefined },
): void {
  const { FirstNode, FirstTypeNode, LastTypeNode, InterfaceDeclaration, TypeAliasDeclaration } =
    ts.SyntaxKind;
  const waiting: ts.Node[] = [file];
  const push = (node: ts.Node): void => {
    const { kind } = node;
    // Every other node is a name or a token, with nothing inside.
    if (kind < FirstNode && table[kind] === undefined) return;
    const isType = kind >= FirstTypeNode && kind <= LastTypeNode;
    if (!isType && kind !== InterfaceDeclaration && kind !== TypeAliasDeclaration)
      waiting.push(node);
  };
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const listeners = table[node.kind];
    if (listeners !== undefined) {
      for (const { rule, visit } of listeners) {
        context.rule = rule;
        visit(node, context);
      }
    }
    ts.forEachChild(node, push);
  }
}
