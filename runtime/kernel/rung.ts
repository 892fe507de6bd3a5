/**
 * The legality ladder: which orders of events are real.
 *
 * A deviation has a rung, known from its site; a finding has the highest rung among the deviations
 * that are left after minimizing. The higher the rung, the more has to be assumed about the world.
 */

/** `native`: nothing deviates. `node`: what plain Node does by itself. `stubs`: stand-ins take
 * longer. `any`: every await may take arbitrarily long. */
export const RUNGS = ['native', 'node', 'stubs', 'any'] as const;

export type RungName = (typeof RUNGS)[number];

/** A rung as a number, so that rungs compare: 0 `native`, 1 `node`, 2 `stubs`, 3 `any`. */
export type Rung = 0 | 1 | 2 | 3;

export const NATIVE: Rung = 0;
export const NODE: Rung = 1;
export const STUBS: Rung = 2;
export const ANY: Rung = 3;
