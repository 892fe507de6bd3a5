/** Rules that are tables: calls and constructions of named functions, each with its message. */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import { on, type Fix, type Listener, type RuleContext } from './rule.js';

export interface CallRule {
  /** The message for a name, or undefined when the rule does not know it. */
  readonly message: (name: string) => string | undefined;
  readonly fixes?: (call: ts.CallExpression, context: RuleContext) => readonly Fix[];
}

/** Listeners that report calls and constructions by the name of what is called. */
export function reportCalls(ts: TypeScript, { message, fixes }: CallRule): readonly Listener[] {
  const { SyntaxKind } = ts;
  const ofCall = remembered(message);
  const ofNew = remembered((name) => message(`new ${name}`));
  return [
    on<ts.CallExpression>(SyntaxKind.CallExpression, (node, context) => {
      const name = context.names.of(node.expression);
      const text = name === undefined ? undefined : ofCall(name);
      if (text !== undefined) context.report(node, text, fixes?.(node, context));
    }),
    on<ts.NewExpression>(SyntaxKind.NewExpression, (node, context) => {
      const name = context.names.of(node.expression);
      const text = name === undefined ? undefined : ofNew(name);
      if (text !== undefined) context.report(node, text);
    }),
  ];
}

/** The same function, which computes each answer once: few names are called in a program. */
function remembered(
  message: (name: string) => string | undefined,
): (name: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, message(name));
    return known.get(name);
  };
}

/** A set of names, written with spaces between them. */
export function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}
