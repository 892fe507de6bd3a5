/** Types and their modifiers in the catalog's form. */

import type { Type } from './type.js';
import * as t from './types.js';

/** pg_attribute.atttypmod: -1 when there is none. */
export function packTypmod(type: Type, typmod: readonly number[]): number {
  const base = type.element ?? type;
  if (typmod.length === 0) return -1;
  if (base === t.VARCHAR || base === t.BPCHAR) return typmod[0]! + 4;
  if (base === t.NUMERIC) return ((typmod[0]! << 16) | (typmod[1]! & 0x7ff)) + 4;
  return typmod[0]!;
}

/** As format_type() has it: `character varying(20)`. */
export function sqlTypeName(type: Type, packed: number): string {
  if (type.element !== undefined) return `${sqlTypeName(type.element, packed)}[]`;
  if (packed < 0) return type.sqlName;
  if (type === t.NUMERIC) return `numeric(${(packed - 4) >> 16},${(packed - 4) & 0x7ff})`;
  if (type === t.VARCHAR || type === t.BPCHAR) return `${type.sqlName}(${packed - 4})`;
  return type.sqlName.replace(/^(time\w*)/, `$1(${packed})`);
}
