/**
 * Edits: what the analyzer says is to be done to a node, as plain data.
 *
 * Another compiler could apply them in its own way: nothing here creates or changes syntax.
 */

import type ts from 'typescript';
import type { Site } from './sites.js';

/** What a returned value becomes. */
export interface ResultEdit {
  /**
   * `leave`: returned from an async function; `suspend`: awaited by an async generator; `tag`:
   * returned by a function that stands in for I/O.
   */
  readonly how: 'leave' | 'suspend' | 'tag';
  readonly site: number;
  readonly marks: boolean;
}

/** Marks set just before a call, after its arguments are evaluated. */
export interface CallMarks {
  /** The site of a timer, random, clock or I/O call. */
  at?: number;
  /** `direct`: the call's result is awaited at once; `clear`: it gets a reaction at once. */
  operand?: 'direct' | 'clear';
}

/**
 * `marks`: the hook marks the call that is its operand, which has no arguments to put a mark
 * around. `named`: the engine's errors would print the expression, as in "x is not a function".
 */
export type Edit =
  /** An async function: a frame around its body. */
  | {
      readonly kind: 'function';
      readonly site: number;
      /** For an arrow function whose body is an expression. */
      readonly result?: ResultEdit;
      /** Declarations of the body that a block could not hold beside the others of their name. */
      readonly hoisted: readonly ts.FunctionDeclaration[];
    }
  /** The expression body of an arrow function that is not async. */
  | { readonly kind: 'arrowResult'; readonly result: ResultEdit }
  /** A module with top-level await; with `await using` at its top level, perhaps. */
  | { readonly kind: 'module'; readonly site: number; readonly dispose?: number }
  /** A decorated class with an await in a decorator, a computed name or its base. */
  | { readonly kind: 'awaitingClass' }
  | {
      readonly kind: 'await';
      readonly site: number;
      readonly named: boolean;
      readonly marks: boolean;
    }
  /** The function of steps of a lowered async function; see lowered-async.ts. */
  | { readonly kind: 'steps'; readonly site: number }
  /** `return [4, operand]` or `return [2, operand]` in it. */
  | {
      readonly kind: 'step';
      readonly how: 'suspend' | 'leave';
      readonly site: number;
      readonly marks: boolean;
    }
  | { readonly kind: 'yield'; readonly site: number; readonly named: boolean }
  | { readonly kind: 'delegate'; readonly site: number; readonly named: boolean }
  | { readonly kind: 'return'; readonly result: ResultEdit }
  | { readonly kind: 'forAwait'; readonly site: number; readonly resumeAfter: boolean }
  /** A labeled `for await`. */
  | { readonly kind: 'resumeAfter' }
  /** A block with `resume` at its head, with `await using` lowered, or both. */
  | { readonly kind: 'block'; readonly resume: boolean; readonly dispose?: number }
  /** A labeled `for (await using …; …; …)`, whose labels have to stay at the loop. */
  | { readonly kind: 'labeledUsing'; readonly dispose: number }
  /** A loop with `await using` in its head. */
  | { readonly kind: 'usingLoop'; readonly dispose: number; readonly inner?: Edit }
  | { readonly kind: 'reaction'; readonly site: number; readonly marks: boolean }
  | ({ readonly kind: 'call' } & CallMarks);

/** A construct that no engine would accept: an error in the source. */
export interface Problem {
  readonly position: number;
  readonly message: string;
}

/** Names for the injected bindings that the file does not use itself. */
export interface InjectedNames {
  readonly runtime: string;
  readonly sites: string;
  readonly frame: string;
}

/** Everything there is to know about one source file. */
export interface Analysis {
  readonly sites: readonly Site[];
  readonly edits: ReadonlyMap<ts.Node, Edit>;
  /** Nodes that have an edit or contain a node that has one: all others can be left alone. */
  readonly touched: ReadonlySet<ts.Node>;
  /** Declarations that move, or go because a later one of their name takes their place. */
  readonly hoisted: ReadonlySet<ts.FunctionDeclaration>;
  readonly names: InjectedNames;
  readonly topLevelAwait: boolean;
  readonly problems: readonly Problem[];
}
