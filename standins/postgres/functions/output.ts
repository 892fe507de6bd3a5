/** Values as clients see them: some need the catalog to be written. */

import { formatReg } from '../sql/coerce.js';
import type { Run } from '../sql/expr.js';
import { formatArray, type Type } from '../types/type.js';
import * as t from '../types/types.js';

const NAMED: readonly Type[] = [t.REGCLASS, t.REGTYPE, t.REGPROC, t.REGNAMESPACE];

export function outputText(type: Type, value: any, run: Run): string {
  if (NAMED.includes(type)) return formatReg(type, value, run);
  if (type.element !== undefined && NAMED.includes(type.element)) {
    return formatArray({ ...type.element, format: (v) => formatReg(type.element!, v, run) }, value);
  }
  return type.format(value);
}
