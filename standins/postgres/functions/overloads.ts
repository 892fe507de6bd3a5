/**
 * Which of several functions or operators of a name is meant: exact matches first, then what casts
 * by themselves reach, preferred types before others (chapter 10 of the manual).
 */

import type { Steps } from '../engine/wait.js';
import { SqlError } from '../errors.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { canCast, coerce } from '../sql/coerce.js';
import type { Expr, Frame, Parameters, Run } from '../sql/expr.js';

/** `any` takes whatever comes; the polymorphic ones have to agree with each other. */
export type ArgumentType = Type | 'any' | 'anyelement' | 'anyarray';

export interface Overload {
  readonly args: readonly ArgumentType[];
  readonly result: ArgumentType | ((types: readonly Type[]) => Type);
  /** The last argument may come any number of times. */
  readonly variadic?: boolean;
  /** It takes NULLs; others give NULL for NULL. */
  readonly nulls?: boolean;
  readonly apply: (args: any[], run: Run, types: readonly Type[]) => any;
  /** It may wait: this is run instead. */
  readonly steps?: (args: any[], run: Run) => Steps<any>;
  /** It gives an array of rows. */
  readonly set?: boolean;
  /** Names and types of its columns when it gives rows. */
  readonly columns?: readonly (readonly [name: string, type: Type])[];
  readonly minimum?: number;
}

const registry = new Map<string, Overload[]>();

export function register(name: string, ...overloads: Overload[]): void {
  const list = registry.get(name);
  if (list === undefined) registry.set(name, overloads);
  else list.push(...overloads);
}

/** Defines a function: argument types, result type, and what it does. */
export function fn(
  names: string,
  args: readonly ArgumentType[],
  result: Overload['result'],
  apply: (...args: any[]) => any,
  more: Partial<Overload> = {},
): void {
  for (const name of names.split(' ')) {
    register(name, { args, result, apply: (values) => apply(...values), ...more });
  }
}

/** As `fn`, for what needs to know where it runs. */
export function runFn(
  names: string,
  args: readonly ArgumentType[],
  result: Overload['result'],
  apply: Overload['apply'],
  more: Partial<Overload> = {},
): void {
  for (const name of names.split(' ')) register(name, { args, result, apply, ...more });
}

export const overloadsOf = (name: string): readonly Overload[] => registry.get(name) ?? [];

function argumentAt(overload: Overload, i: number): ArgumentType {
  const { args, variadic } = overload;
  return i < args.length ? args[i]! : variadic ? args.at(-1)! : args[i]!;
}

function fitsCount(overload: Overload, count: number): boolean {
  if (overload.variadic) return count >= (overload.minimum ?? overload.args.length - 1);
  return count === overload.args.length || count === overload.minimum;
}

function accepts(formal: ArgumentType, type: Type): boolean {
  if (formal === 'any' || formal === 'anyelement') return true;
  if (formal === 'anyarray') return type === t.UNKNOWN || type.element !== undefined;
  return canCast(type, formal, 'implicit');
}

/** The concrete types of the arguments, with the polymorphic ones filled in. */
export function concrete(overload: Overload, types: readonly Type[]): Type[] | undefined {
  let element: Type | undefined;
  for (let i = 0; i < types.length; i += 1) {
    const formal = argumentAt(overload, i);
    const type = types[i]!;
    if (type === t.UNKNOWN) continue;
    const found = formal === 'anyelement' ? type : formal === 'anyarray' ? type.element : undefined;
    if (found === undefined) continue;
    if (element === undefined || canCast(element, found, 'implicit')) element = found;
    else if (!canCast(found, element, 'implicit')) return undefined;
  }
  return types.map((type, i) => {
    const formal = argumentAt(overload, i);
    if (formal === 'any') return type;
    if (formal === 'anyelement') return element ?? t.TEXT;
    if (formal === 'anyarray') return (element ?? t.TEXT).array!;
    return formal;
  });
}

function isExact(formal: ArgumentType, type: Type): boolean {
  return formal === type;
}

/** The best candidate for these types; an empty list when none fits, several when it is open. */
export function select(
  candidates: readonly Overload[],
  types: readonly Type[],
): readonly Overload[] {
  let left = candidates.filter(
    (candidate) =>
      fitsCount(candidate, types.length) &&
      types.every((type, i) => accepts(argumentAt(candidate, i), type)) &&
      concrete(candidate, types) !== undefined,
  );
  if (left.length <= 1) return left;
  const keepBest = (score: (candidate: Overload) => number) => {
    const best = Math.max(...left.map(score));
    left = left.filter((candidate) => score(candidate) === best);
  };
  const count = (test: (formal: ArgumentType, type: Type) => boolean) => (candidate: Overload) =>
    types.filter((type, i) => test(argumentAt(candidate, i), type)).length;
  keepBest(count((formal, type) => type !== t.UNKNOWN && isExact(formal, type)));
  keepBest(
    count(
      (formal, type) =>
        type !== t.UNKNOWN &&
        (isExact(formal, type) ||
          (typeof formal !== 'string' && formal.preferred && formal.category === type.category)),
    ),
  );
  if (left.length <= 1) return left;
  // Literals of no known type: text where that is possible, else the category all agree on.
  for (let i = 0; i < types.length && left.length > 1; i += 1) {
    if (types[i] !== t.UNKNOWN) continue;
    const formals = left.map((candidate) => argumentAt(candidate, i));
    const categories = new Set(formals.map((f) => (typeof f === 'string' ? 'any' : f.category)));
    const category = categories.has('S')
      ? 'S'
      : categories.size === 1
        ? [...categories][0]
        : undefined;
    if (category === undefined) continue;
    const inCategory = (candidate: Overload) => {
      const formal = argumentAt(candidate, i);
      return typeof formal !== 'string' && formal.category === category;
    };
    if (left.some(inCategory)) left = left.filter(inCategory);
    const preferred = (candidate: Overload) => (argumentAt(candidate, i) as Type).preferred;
    if (left.some(preferred)) left = left.filter(preferred);
  }
  if (left.length <= 1) return left;
  const known = types.filter((type) => type !== t.UNKNOWN);
  if (known.length > 0 && known.length < types.length && known.every((type) => type === known[0])) {
    const same = left.filter((candidate) =>
      types.every((type, i) => type !== t.UNKNOWN || argumentAt(candidate, i) === known[0]),
    );
    if (same.length === 1) return same;
  }
  return left;
}

/** A call of an overload, with its arguments cast. */
export function call(overload: Overload, args: readonly Expr[], parameters: Parameters): Expr {
  const types = concrete(
    overload,
    args.map((arg) => arg.type),
  )!;
  const cast = args.map((arg, i) => {
    const formal = argumentAt(overload, i);
    // What takes anything is given its argument as it is.
    if (formal === 'any' && arg.param === undefined) return arg;
    return coerce(arg, formal === 'any' ? t.TEXT : types[i]!, 'implicit', parameters)!;
  });
  const type =
    typeof overload.result === 'function'
      ? overload.result(types)
      : overload.result === 'anyelement' || overload.result === 'anyarray'
        ? polymorphicResult(overload, types)
        : overload.result === 'any'
          ? t.TEXT
          : overload.result;
  const { apply, steps } = overload;
  const evs = cast.map((arg) => arg.ev);
  const values = (frame: Frame): any[] | undefined => {
    const result: any[] = new Array(evs.length);
    for (let i = 0; i < evs.length; i += 1) {
      result[i] = cast[i]!.ev(frame);
      if (result[i] === null && !overload.nulls) return undefined;
    }
    return result;
  };
  const nothing = overload.set ? [] : null;
  const ev = (frame: Frame) => {
    const given = values(frame);
    return given === undefined ? nothing : apply(given, frame.run, types);
  };
  return {
    type,
    ev,
    operands: cast,
    ...(overload.set && { isSet: true }),
    ...(overload.columns && { setColumns: overload.columns }),
    ...(steps && {
      *steps(frame: Frame) {
        const given = values(frame);
        return given === undefined ? null : yield* steps(given, frame.run);
      },
    }),
  };
}

function polymorphicResult(overload: Overload, types: readonly Type[]): Type {
  const at = overload.args.findIndex((arg) => arg === 'anyelement' || arg === 'anyarray');
  const element = overload.args[at] === 'anyarray' ? types[at]!.element! : types[at]!;
  return overload.result === 'anyarray' ? element.array! : element;
}

export function undefinedFunction(
  name: string,
  types: readonly Type[],
  position: number,
): SqlError {
  const list = types.map((type) => type.sqlName).join(', ');
  return new SqlError('42883', `function ${name}(${list}) does not exist`, {
    position,
    hint:
      'No function matches the given name and argument types. ' +
      'You might need to add explicit type casts.',
  });
}
