/** Small things about parse trees: kinds of nodes, lists of names, names of types. */

import { SqlError, unsupported } from '../errors.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import type { Analysis } from './scope.js';

/** A node is an object with one property: what it is. */
export function kindOf(node: any): string {
  for (const kind in node) return kind;
  throw new SqlError('XX000', 'an empty node of the parse tree');
}

export const strings = (nodes: readonly any[] = []): string[] =>
  nodes.map((node) => node.String.sval ?? '');

/** What a constant of the parse tree is, for options. */
export function constantOf(node: any): string | number | boolean | undefined {
  const value = node?.A_Const ?? node;
  if (value?.ival !== undefined) return value.ival.ival ?? value.ival;
  if (value?.sval !== undefined) return value.sval.sval ?? value.sval;
  if (value?.fval !== undefined) return value.fval.fval ?? value.fval;
  if (value?.boolval !== undefined) return value.boolval.boolval ?? false;
  if (node?.Integer !== undefined) return node.Integer.ival ?? 0;
  if (node?.String !== undefined) return node.String.sval ?? '';
  if (node?.Float !== undefined) return node.Float.fval;
  if (node?.Boolean !== undefined) return node.Boolean.boolval ?? false;
  if (node?.TypeName !== undefined) return strings(node.TypeName.names).at(-1);
  if (node?.TypeCast !== undefined) return constantOf(node.TypeCast.arg);
  return undefined;
}

export const SERIALS: Record<string, Type> = {
  smallserial: t.INT2,
  serial2: t.INT2,
  serial: t.INT4,
  serial4: t.INT4,
  bigserial: t.INT8,
  serial8: t.INT8,
};

/** Known of PostgreSQL, and not there. */
const NOT_MADE = new RegExp(
  `^(?:${[
    'timetz money bit varbit inet cidr macaddr point line box circle polygon path xml',
    'tsvector tsquery int4range int8range numrange tsrange tstzrange daterange citext',
    'hstore vector pg_lsn',
  ]
    .join(' ')
    .replace(/ /g, '|')})$`,
);

export function typeOf(node: any, analysis: Analysis): { type: Type; typmod: readonly number[] } {
  const names = strings(node.names);
  const name = names.at(-1)!;
  const { db, session, transaction } = analysis;
  const path = names.length > 1 ? [names[0]!] : ['pg_catalog', ...session.searchPath];
  let type = db.typeNamed(name, path, transaction);
  if (type === undefined) {
    if (NOT_MADE.test(name)) {
      throw unsupported(`the type ${name}`);
    }
    throw new SqlError('42704', `type "${name}" does not exist`, {
      position: (node.location ?? 0) + 1,
    });
  }
  let typmod: number[] = (node.typmods ?? []).map((mod: any) => Number(constantOf(mod)));
  if (type === t.INTERVAL) typmod = [];
  if (type === t.BPCHAR && typmod.length === 0 && names[0] === 'pg_catalog' && name === 'bpchar')
    typmod = [1];
  if (type === t.NUMERIC && typmod.length === 1) typmod.push(0);
  for (let i = 0; i < (node.arrayBounds ?? []).length && type.element === undefined; i += 1)
    type = type.array!;
  return { type, typmod };
}

/** The name of an output column that was given none (FigureColname). */
export function columnName(node: any): string {
  return nameOf(node) ?? '?column?';
}

/** A name that a cast around it does not take away. */
function strongName(node: any): string | undefined {
  if (node.TypeCast !== undefined) return strongName(node.TypeCast.arg);
  if (node.CaseExpr !== undefined) {
    const { defresult } = node.CaseExpr;
    return defresult && strongName(defresult);
  }
  return nameOf(node);
}

function nameOf(node: any): string | undefined {
  const kind = kindOf(node);
  const body = node[kind];
  switch (kind) {
    case 'ColumnRef':
      return body.fields.at(-1).String?.sval;
    case 'A_Indirection': {
      const field = body.indirection.findLast((step: any) => step.String !== undefined);
      return field?.String.sval ?? nameOf(body.arg);
    }
    case 'FuncCall':
      return strings(body.funcname).at(-1);
    case 'A_Expr':
      return body.kind === 'AEXPR_NULLIF' ? 'nullif' : undefined;
    case 'TypeCast':
      return strongName(body.arg) ?? strings(body.typeName.names).at(-1);
    case 'CollateClause':
      return nameOf(body.arg);
    case 'CaseExpr':
      return (body.defresult && nameOf(body.defresult)) ?? 'case';
    case 'CoalesceExpr':
      return 'coalesce';
    case 'MinMaxExpr':
      return body.op === 'IS_GREATEST' ? 'greatest' : 'least';
    case 'A_ArrayExpr':
      return 'array';
    case 'RowExpr':
      return 'row';
    case 'SQLValueFunction':
      return body.op.replace('SVFOP_', '').replace(/_N$/, '').toLowerCase();
    case 'SubLink': {
      if (body.subLinkType === 'EXISTS_SUBLINK') return 'exists';
      if (body.subLinkType === 'ARRAY_SUBLINK') return 'array';
      if (body.subLinkType !== 'EXPR_SUBLINK') return undefined;
      const target = body.subselect.SelectStmt?.targetList?.[0]?.ResTarget;
      return target && (target.name ?? nameOf(target.val));
    }
  }
  return undefined;
}
