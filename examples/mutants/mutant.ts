/** A planted bug, and how it is looked for. */

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly text: string };

export interface Mutant {
  readonly system: 'raft' | 'kv';
  /** A few words that name it, joined by hyphens. */
  readonly name: string;
  /** What is wrong, as one clause. */
  readonly mistake: string;
  /**
   * Runs one seed.
   * @param swarm whether the faults are drawn from the seed; otherwise there is a bit of each kind
   */
  run(seed: number, swarm: boolean): Verdict;
}

/** The first seeds, from 1 on, that find a mutant, or how many have not. */
export interface Search {
  /** `undefined`: none of the seeds did. */
  readonly found: number | undefined;
  readonly text: string;
}

/** Tries the seeds from 1 to `seeds`. */
export function search(mutant: Mutant, swarm: boolean, seeds: number): Search {
  for (let seed = 1; seed <= seeds; seed++) {
    const verdict = mutant.run(seed, swarm);
    if (!verdict.ok) return { found: seed, text: verdict.text };
  }
  return { found: undefined, text: '' };
}
