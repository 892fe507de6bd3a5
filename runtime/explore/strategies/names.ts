/**
 * The names of strategies, as a user says them.
 */

import { SEEDED, type SeededName } from './index.js';

/** Searches take each trial from what the ones before it showed: their trials have no seeds. */
const SEARCHES = ['exhaustive', 'novelty'] as const;

export type SearchName = (typeof SEARCHES)[number];

/** `portfolio`, or one strategy for all trials. */
export type StrategyName = 'portfolio' | SeededName | SearchName;

export const STRATEGIES: readonly StrategyName[] = ['portfolio', ...SEEDED, ...SEARCHES];

export function isSearch(name: StrategyName): name is SearchName {
  return (SEARCHES as readonly string[]).includes(name);
}
