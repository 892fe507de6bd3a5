/**
 * A budget of tokens that all pools of one customer share: each job costs one.
 */

import type { Store } from './store';

export class BudgetSpentError extends Error {
  override readonly name = 'BudgetSpentError';
}

export class TokenBudget {
  readonly #key: string;

  constructor(
    private readonly store: Store,
    customer: string,
  ) {
    this.#key = `budget:${customer}`;
  }

  async grant(tokens: number): Promise<void> {
    await this.store.set(this.#key, tokens);
  }

  async left(): Promise<number> {
    return (await this.store.get(this.#key)) ?? 0;
  }

  /** Takes one token, or throws a BudgetSpentError when none is left. */
  async spend(): Promise<void> {
    const left = await this.left();
    if (left === 0) throw new BudgetSpentError('no token is left');
    await this.store.set(this.#key, left - 1);
  }
}
