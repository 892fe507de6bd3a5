/** Sequences. What they give out is gone, whatever becomes of the transaction. */

import { SqlError } from '../errors.js';

export interface SequenceOptions {
  readonly increment: bigint;
  readonly min: bigint;
  readonly max: bigint;
  readonly start: bigint;
  readonly cycle: boolean;
}

export class Sequence {
  last: bigint;
  called = false;

  constructor(
    readonly oid: number,
    readonly schema: string,
    readonly name: string,
    public options: SequenceOptions,
    /** The column that it is of: dropped with it. */
    public ownedBy: { readonly table: object; readonly column: string } | undefined,
  ) {
    this.last = options.start;
  }

  next(): bigint {
    const { increment, min, max, cycle } = this.options;
    let next = this.called ? this.last + increment : this.last;
    if (next > max || next < min) {
      const limit = next > max ? 'maximum' : 'minimum';
      if (!cycle) {
        const value = next > max ? max : min;
        throw new SqlError(
          '2200H',
          `nextval: reached ${limit} value of sequence "${this.name}" (${value})`,
        );
      }
      next = next > max ? min : max;
    }
    this.last = next;
    this.called = true;
    return next;
  }

  set(value: bigint, called: boolean): void {
    const { min, max } = this.options;
    if (value < min || value > max) {
      throw new SqlError(
        '22003',
        `setval: value ${value} is out of bounds for sequence "${this.name}" (${min}..${max})`,
      );
    }
    this.last = value;
    this.called = called;
  }
}
