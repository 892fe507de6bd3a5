/**
 * The default of a column as SQL, in the way that PostgreSQL writes it: a constant has its type.
 * Only what people put there is written; anything else is `(expression)`.
 */

import type { Column } from '../engine/table.js';
import type { Type } from '../types/type.js';

export function defaultText({ default: node, type, generated }: Column): string | null {
  if (node === undefined || generated !== undefined || node.A_Const?.isnull === true) return null;
  return textOf(node, type) ?? '(expression)';
}

function textOf(node: any, type: Type): string | undefined {
  if (node.A_Const !== undefined) return constantText(node.A_Const, type);
  if (node.TypeCast?.arg.A_Const !== undefined)
    return constantText(node.TypeCast.arg.A_Const, type);
  const { FuncCall: call, SQLValueFunction: value } = node;
  if (value !== undefined) return value.op.replace(/^SVFOP_/, '').replace(/_N$/, '');
  if (call === undefined) return undefined;
  const name = call.funcname.at(-1).String.sval as string;
  const [first, second] = call.args ?? [];
  if (first === undefined) return `${name}()`;
  const sequence = first.A_Const?.sval?.sval as string | undefined;
  if (name !== 'nextval' || sequence === undefined || second !== undefined) return undefined;
  return `nextval('${sequence.replace(/^public\./, '')}'::regclass)`;
}

function constantText(constant: any, type: Type): string | undefined {
  const { ival, fval, sval, boolval } = constant;
  if (boolval !== undefined) return String(boolval.boolval === true);
  if (sval !== undefined) return `'${sval.sval.replaceAll("'", "''")}'::${type.sqlName}`;
  const number = ival === undefined ? (fval?.fval as string | undefined) : String(ival.ival ?? 0);
  if (number?.startsWith('-') !== true) return number;
  return `'${number}'::${ival === undefined ? 'numeric' : 'integer'}`;
}
