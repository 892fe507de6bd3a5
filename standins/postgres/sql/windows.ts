/** Window functions, over whole partitions and over the default frame. */

import { SqlError, unsupported } from '../errors.js';
import { aggregatesOf } from '../functions/aggregates.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { coerce } from './coerce.js';
import { aggregateOf } from './calls.js';
import type { Expr, Frame, Run } from './expr.js';
import { compile, compileAs, settle } from './expressions.js';
import { compareKeys, sortKeys, type SortKey } from './sorting.js';
import type { Scope } from './scope.js';

/** FRAMEOPTION bits of the two frames that are done here: the default one, and the same by rows. */
const ROWS = 0x4;
const DEFAULT_FRAMES = [0x422, 0x423, 0x433, 0x425, 0x435];
const WHOLE_FRAMES = [0x133, 0x135];

interface Partition {
  readonly frames: Frame[];
  /** For each row the first of its peers, and the one behind the last. */
  readonly first: number[];
  readonly end: number[];
}

type Compute = (partition: Partition, row: number, run: Run) => any;

export function compileWindow(name: string, node: any, scope: Scope, position: number): Expr {
  if (!scope.aggregatesAllowed) {
    throw new SqlError('42P20', `window functions are not allowed in ${scope.clause}`, {
      position,
    });
  }
  const over = node.over.name === undefined ? node.over : scope.windowClauses.get(node.over.name);
  if (over === undefined)
    throw new SqlError('42704', `window "${node.over.name}" does not exist`, { position });
  const options = over.frameOptions ?? 0x422;
  const whole =
    WHOLE_FRAMES.includes(options) || ((options & ROWS) === 0 && !over.orderClause?.length);
  if (!DEFAULT_FRAMES.includes(options) && !WHOLE_FRAMES.includes(options))
    throw unsupported('this window frame');
  const partitionBy: Expr[] = (over.partitionClause ?? []).map((item: any) =>
    settle(compile(item, scope), scope),
  );
  const order = sortKeys(over.orderClause ?? [], (item) => compile(item, scope), scope);
  const filter = node.agg_filter && compileAs(node.agg_filter, scope, t.BOOL, 'FILTER');
  const args: Expr[] = (node.args ?? []).map((arg: any) => compile(arg, scope));
  const byRow = (options & ROWS) !== 0;
  const frame = (partition: Partition, row: number): Frame[] => {
    const end = whole ? partition.frames.length : byRow ? row + 1 : partition.end[row]!;
    return partition.frames.slice(0, end);
  };
  let type: Type;
  let compute: Compute;
  const aggregates = aggregatesOf(name);
  if (aggregates !== undefined) {
    const chosen = aggregateOf(name, aggregates, args, scope, position);
    type = chosen.type;
    compute = (partition, row, run) => {
      const frames = frame(partition, row).filter(
        (one) => filter === undefined || filter.ev(one) === true,
      );
      return chosen.apply(
        frames.map((one) => chosen.args.map((arg) => arg.ev(one))),
        run,
      );
    };
  } else
    ({ type, compute } = windowFunction(
      name,
      args.map((arg) => settle(arg, scope)),
      frame,
      scope,
    ));
  const at = scope.windows.length;
  scope.windows.push((frames, run) => {
    for (const partition of partitions(frames, partitionBy, order)) {
      partition.frames.forEach((one, row) => (one.windows[at] = compute(partition, row, run)));
    }
  });
  return { type, ev: (one) => one.windows[at] };
}

function windowFunction(
  name: string,
  args: readonly Expr[],
  frameOf: (partition: Partition, row: number) => Frame[],
  scope: Scope,
): { type: Type; compute: Compute } {
  const [value, second, third] = args;
  const { parameters } = scope.analysis;
  switch (name) {
    case 'row_number':
      return { type: t.INT8, compute: (_, row) => BigInt(row + 1) };
    case 'rank':
      return { type: t.INT8, compute: ({ first }, row) => BigInt(first[row]! + 1) };
    case 'dense_rank':
      return {
        type: t.INT8,
        compute: ({ first }, row) => BigInt(new Set(first.slice(0, row + 1)).size),
      };
    case 'percent_rank':
      return {
        type: t.FLOAT8,
        compute: ({ first, frames }, row) =>
          frames.length < 2 ? 0 : first[row]! / (frames.length - 1),
      };
    case 'cume_dist':
      return { type: t.FLOAT8, compute: ({ end, frames }, row) => end[row]! / frames.length };
    case 'ntile':
      return {
        type: t.INT4,
        compute({ frames }, row) {
          const count = value!.ev(frames[row]!);
          const size = Math.floor(frames.length / count);
          const larger = frames.length % count;
          const split = larger * (size + 1);
          return row < split
            ? Math.floor(row / (size + 1)) + 1
            : larger + Math.floor((row - split) / size) + 1;
        },
      };
    case 'lag':
    case 'lead': {
      const otherwise = third && coerce(third, value!.type, 'implicit', parameters);
      return {
        type: value!.type,
        compute({ frames }, row) {
          const offset = second === undefined ? 1 : second.ev(frames[row]!);
          const other = frames[name === 'lag' ? row - offset : row + offset];
          return other === undefined ? (otherwise?.ev(frames[row]!) ?? null) : value!.ev(other);
        },
      };
    }
    case 'first_value':
      return {
        type: value!.type,
        compute: (partition, row) => value!.ev(frameOf(partition, row)[0]!),
      };
    case 'last_value':
      return {
        type: value!.type,
        compute: (partition, row) => value!.ev(frameOf(partition, row).at(-1)!),
      };
    case 'nth_value':
      return {
        type: value!.type,
        compute(partition, row) {
          const nth = frameOf(partition, row)[second!.ev(partition.frames[row]!) - 1];
          return nth === undefined ? null : value!.ev(nth);
        },
      };
  }
  throw unsupported(`the window function ${name}`);
}

function partitions(
  frames: readonly Frame[],
  by: readonly Expr[],
  order: readonly SortKey[],
): Partition[] {
  const groups = new Map<string, { frame: Frame; values: any[] }[]>();
  for (const frame of frames) {
    const key = JSON.stringify(
      by.map((expr) => {
        const value = expr.ev(frame);
        return value === null ? null : expr.type.key(value);
      }),
    );
    const item = { frame, values: order.map((one) => one.expr.ev(frame)) };
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()].map((group) => {
    group.sort((a, b) => compareKeys(order, a.values, b.values));
    const first = group.map(() => 0);
    const end = group.map(() => group.length);
    for (let i = 1; i < group.length; i += 1) {
      const peer = compareKeys(order, group[i - 1]!.values, group[i]!.values) === 0;
      first[i] = peer ? first[i - 1]! : i;
    }
    for (let i = group.length - 2; i >= 0; i -= 1)
      end[i] = first[i + 1] === i + 1 ? i + 1 : end[i + 1]!;
    return { frames: group.map(({ frame }) => frame), first, end };
  });
}
