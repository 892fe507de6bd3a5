/** Operators in expressions: which one is meant, IN, ANY and ALL, BETWEEN, comparisons of rows. */

import { SqlError, unsupported } from '../errors.js';
import { COMPARISONS, operatorName } from '../functions/operators.js';
import { call, overloadsOf, select } from '../functions/overloads.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { coerce, commonType } from './coerce.js';
import type { Expr, Frame } from './expr.js';
import { compile, settle } from './expressions.js';
import type { Scope } from './scope.js';
import { strings } from './tree.js';

export function compileOperator(node: any, scope: Scope): Expr {
  const symbol = strings(node.name).at(-1)!;
  const position = node.location ?? 0;
  switch (node.kind) {
    case 'AEXPR_OP': {
      if (node.lexpr === undefined)
        return unary(symbol, compile(node.rexpr, scope), scope, position);
      const rows = [node.lexpr, node.rexpr].map((side) => side.RowExpr?.args);
      if (rows[0] !== undefined && rows[1] !== undefined)
        return compareRows(symbol, rows[0], rows[1], scope, position);
      return binary(
        symbol,
        compile(node.lexpr, scope),
        compile(node.rexpr, scope),
        scope,
        position,
      );
    }
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      return binary(
        symbol,
        compile(node.lexpr, scope),
        compile(node.rexpr, scope),
        scope,
        position,
      );
    case 'AEXPR_IN':
      return compileIn(symbol, node, scope, position);
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      return compileAny(symbol, node, scope, position);
    case 'AEXPR_NOT_DISTINCT':
    case 'AEXPR_DISTINCT': {
      const wanted = node.kind === 'AEXPR_NOT_DISTINCT';
      const left = compile(node.lexpr, scope);
      const right = compile(node.rexpr, scope);
      const equal = binary('=', left, right, scope, position);
      const [a, b] = [settle(left, scope), settle(right, scope)];
      return {
        type: t.BOOL,
        ev(frame) {
          const [isA, isB] = [a.ev(frame) === null, b.ev(frame) === null];
          return (isA || isB ? isA && isB : equal.ev(frame)) === wanted;
        },
      };
    }
    case 'AEXPR_NULLIF': {
      const left = compile(node.lexpr, scope);
      const equal = binary('=', left, compile(node.rexpr, scope), scope, position);
      const value = settle(left, scope);
      return {
        type: value.type,
        ev: (frame) => (equal.ev(frame) === true ? null : value.ev(frame)),
      };
    }
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN':
    case 'AEXPR_BETWEEN_SYM':
    case 'AEXPR_NOT_BETWEEN_SYM':
      return compileBetween(node, scope, position);
  }
  throw unsupported(`the operator ${node.kind.replace('AEXPR_', '').replace(/_/g, ' ')}`);
}

function compileBetween(node: any, scope: Scope, position: number): Expr {
  const value = compile(node.lexpr, scope);
  const [low, high] = node.rexpr.List.items.map((item: any) => compile(item, scope)) as [
    Expr,
    Expr,
  ];
  const within = (from: Expr, to: Expr) => [
    binary('>=', value, from, scope, position),
    binary('<=', value, to, scope, position),
  ];
  const ranges = [within(low, high), ...(/SYM/.test(node.kind) ? [within(high, low)] : [])];
  const negated = /NOT/.test(node.kind);
  const and = (pair: Expr[], frame: Frame) => {
    const [a, b] = pair.map((test) => test.ev(frame));
    return a === false || b === false ? false : a === null || b === null ? null : true;
  };
  return {
    type: t.BOOL,
    ev(frame) {
      const results = ranges.map((pair) => and(pair, frame));
      const result = results.includes(true) ? true : results.includes(null) ? null : false;
      return result === null ? null : result !== negated;
    },
  };
}

/** Types that any comparison is defined for without being listed. */
const isGeneric = ({ category }: Type) => category === 'E' || category === 'A';

function tryBinary(
  symbol: string,
  left: Expr,
  right: Expr,
  scope: Scope,
): Expr | 'ambiguous' | undefined {
  const { parameters } = scope.analysis;
  const generic = [left, right].find((side) => isGeneric(side.type));
  if (generic !== undefined && symbol in COMPARISONS) {
    const { type } = generic;
    const [a, b] = [left, right].map((side) => coerce(side, type, 'implicit', parameters));
    if (a === undefined || b === undefined) return undefined;
    const test = COMPARISONS[symbol]!;
    return {
      type: t.BOOL,
      operands: [a, b],
      ev(frame) {
        const [x, y] = [a.ev(frame), b.ev(frame)];
        return x === null || y === null ? null : test(type.compare(x, y));
      },
    };
  }
  const candidates = overloadsOf(operatorName(symbol)).filter((one) => one.args.length === 2);
  const types = [left.type, right.type];
  const known = types.find((type) => type !== t.UNKNOWN);
  if (known !== undefined && types.includes(t.UNKNOWN)) {
    // A literal is taken for what stands on the other side, if that makes an exact match.
    const same = candidates.find((one) => one.args.every((arg) => arg === known));
    if (same !== undefined) return call(same, [left, right], parameters);
    if (known.category === 'A') {
      const arrays = candidates.find((one) => one.args.every((arg) => arg === 'anyarray'));
      if (arrays !== undefined) {
        const cast = [left, right].map((side) => coerce(side, known, 'implicit', parameters)!);
        return call(arrays, cast, parameters);
      }
    }
  }
  const found = select(candidates, types);
  if (found.length > 1) return 'ambiguous';
  return found.length === 0 ? undefined : call(found[0]!, [left, right], parameters);
}

export function binary(
  symbol: string,
  left: Expr,
  right: Expr,
  scope: Scope,
  position: number,
): Expr {
  const result = tryBinary(symbol, left, right, scope);
  if (result !== undefined && result !== 'ambiguous') return result;
  const shown = `${left.type.sqlName} ${symbol} ${right.type.sqlName}`;
  if (overloadsOf(operatorName(symbol)).length === 0 && !(symbol in COMPARISONS)) {
    throw unsupported(`the operator ${symbol}`);
  }
  if (result === 'ambiguous') {
    throw new SqlError('42725', `operator is not unique: ${shown}`, {
      position: position + 1,
      hint:
        'Could not choose a best candidate operator. ' +
        'You might need to add explicit type casts.',
    });
  }
  throw new SqlError('42883', `operator does not exist: ${shown}`, {
    position: position + 1,
    hint:
      'No operator matches the given name and argument types. ' +
      'You might need to add explicit type casts.',
  });
}

export function unary(symbol: string, arg: Expr, scope: Scope, position: number): Expr {
  const candidates = overloadsOf(operatorName(symbol)).filter((one) => one.args.length === 1);
  const found = select(candidates, [arg.type]);
  if (found.length === 1) return call(found[0]!, [arg], scope.analysis.parameters);
  throw new SqlError('42883', `operator does not exist: ${symbol} ${arg.type.sqlName}`, {
    position: position + 1,
    hint:
      'No operator matches the given name and argument type. ' +
      'You might need to add an explicit type cast.',
  });
}

/** NULL-aware: true when one is true, NULL when one is NULL. */
function anyOf(tests: readonly (() => boolean | null)[]): boolean | null {
  let unknown = false;
  for (const test of tests) {
    const result = test();
    if (result === true) return true;
    if (result === null) unknown = true;
  }
  return unknown ? null : false;
}

function compareRows(
  symbol: string,
  left: any[],
  right: any[],
  scope: Scope,
  position: number,
): Expr {
  if (left.length !== right.length) {
    throw new SqlError('42601', 'unequal number of entries in row expressions', {
      position: position + 1,
    });
  }
  const [as, bs] = [left, right].map((side) => side.map((item) => compile(item, scope))) as [
    Expr[],
    Expr[],
  ];
  const pair = (operator: string) => as.map((a, i) => binary(operator, a, bs[i]!, scope, position));
  const equals = pair('=');
  if (symbol === '=' || symbol === '<>') {
    return {
      type: t.BOOL,
      ev(frame) {
        const different = anyOf(
          equals.map((equal) => () => {
            const value = equal.ev(frame);
            return value === null ? null : !value;
          }),
        );
        return different === null ? null : different === (symbol === '<>');
      },
    };
  }
  if (!(symbol in COMPARISONS)) throw unsupported(`the operator ${symbol} between rows`);
  const strict = pair(symbol[0]!);
  return {
    type: t.BOOL,
    ev(frame) {
      for (let i = 0; i < equals.length; i += 1) {
        const equal = equals[i]!.ev(frame);
        if (equal === null) return null;
        if (!equal) return strict[i]!.ev(frame);
      }
      return symbol.length === 2;
    },
  };
}

function compileIn(symbol: string, node: any, scope: Scope, position: number): Expr {
  const items: any[] = node.rexpr.List.items;
  const negated = symbol === '<>';
  const finish = (test: (frame: Frame) => boolean | null): Expr => ({
    type: t.BOOL,
    ev(frame) {
      const result = test(frame);
      return result === null ? null : result !== negated;
    },
  });
  if (node.lexpr.RowExpr !== undefined) {
    const tests = items.map((item) =>
      compareRows('=', node.lexpr.RowExpr.args, item.RowExpr.args, scope, position),
    );
    return finish((frame) => anyOf(tests.map((test) => () => test.ev(frame))));
  }
  const left = compile(node.lexpr, scope);
  const rights = items.map((item) => compile(item, scope));
  const plain = [left, ...rights];
  // Parameters and literals take the type of the rest, so that the list is one of one type.
  const known = plain.filter((side) => side.type !== t.UNKNOWN);
  const type =
    known.length > 0 && known.every((side) => side.type.category === known[0]!.type.category)
      ? commonType(plain, 'IN')
      : undefined;
  const cast =
    type && plain.map((side) => coerce(side, type, 'implicit', scope.analysis.parameters));
  const [first, ...rest] =
    cast !== undefined && !cast.includes(undefined) ? (cast as Expr[]) : plain;
  const tests = rest.map((right) => binary('=', first!, right!, scope, position));
  const found = finish((frame) => anyOf(tests.map((test) => () => test.ev(frame))));
  if (negated || cast === undefined || cast.includes(undefined)) return found;
  return {
    ...found,
    list: { left: first!, items: (frame) => rest.map((right) => right!.ev(frame)) },
  };
}

function compileAny(symbol: string, node: any, scope: Scope, position: number): Expr {
  const all = node.kind === 'AEXPR_OP_ALL';
  let left = compile(node.lexpr, scope);
  let array = compile(node.rexpr, scope);
  const { parameters } = scope.analysis;
  if (array.type === t.UNKNOWN) {
    left = settle(left, scope);
    array = coerce(array, left.type.array!, 'implicit', parameters)!;
  }
  const { element } = array.type;
  if (element === undefined) {
    throw new SqlError('42809', 'op ANY/ALL (array) requires array on right side', {
      position: position + 1,
    });
  }
  const { test, each } = testEach(symbol, left, element, scope, position);
  const equal = symbol === '=' && !all && test.operands?.[0]?.type === element;
  return {
    type: t.BOOL,
    ...(equal && {
      list: {
        left: test.operands![0]!,
        items: (frame: Frame) => (array.ev(frame) ?? []).flat(Infinity),
      },
    }),
    ev(frame) {
      const list = array.ev(frame);
      return list === null
        ? null
        : quantified((list as any[]).flat(Infinity), all, (item) =>
            each(item, () => test.ev(frame)),
          );
    },
  };
}

/** A comparison whose right side is put in place for each test. */
export function testEach(symbol: string, left: Expr, type: Type, scope: Scope, position: number) {
  let current: any = null;
  const test = binary(symbol, left, { type, ev: () => current }, scope, position);
  const each = (item: any, run: () => any) => {
    const before = current;
    current = item;
    const result = run();
    current = before;
    return result;
  };
  return { test, each };
}

export function quantified(
  items: readonly any[],
  all: boolean,
  test: (item: any) => boolean | null,
): boolean | null {
  let unknown = false;
  for (const item of items) {
    const result = test(item);
    if (result === !all) return !all;
    if (result === null) unknown = true;
  }
  return unknown ? null : all;
}
