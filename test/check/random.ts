/** Seeded numbers for tests of the checkers, and histories made of them. */

import { History } from '../../runtime/check/history.js';
import { finish, fraction, hashSeed, mix } from '../../runtime/kernel/hash.js';

export interface Random {
  /** An integer from 0 to `below - 1`. */
  below(below: number): number;
  pick<T>(list: readonly T[]): T;
}

export function randomOf(seed: number): Random {
  const start = hashSeed(seed);
  let count = 0;
  const below = (limit: number) => Math.floor(fraction(finish(mix(start, count++))) * limit);
  return { below, pick: (list) => list[below(list.length)] };
}

/**
 * A history in which clients overlap at random: each turn begins or ends an operation.
 * @param answer the answer of an operation, decided at some moment of its interval
 * @param crash one of so many operations never gets its answer
 */
export function randomHistory<Input, Output>(
  random: Random,
  size: { readonly clients: number; readonly operations: number; readonly crash: number },
  input: (client: string) => Input,
  answer: (input: Input, client: string) => Output,
): History<Input, Output> {
  const clock = { now: 0 };
  const history = new History<Input, Output>(clock);
  type Step = () => void;
  const clients = Array.from({ length: size.clients }, (_, i) => ({
    name: `c${i}`,
    next: undefined as Step | undefined,
  }));
  let begun = 0;
  while (begun < size.operations || clients.some(({ next }) => next !== undefined)) {
    const client = random.pick(clients);
    clock.now += random.below(3);
    if (client.next !== undefined) client.next();
    else if (begun < size.operations) {
      begun++;
      const asked = input(client.name);
      const invocation = history.invoke(client.name, asked);
      client.next = () => {
        // The effect; another turn ends the operation.
        const output = answer(asked, client.name);
        const crashes = random.below(size.crash) === 0;
        client.next = () => {
          client.next = undefined;
          if (!crashes) invocation.complete(output);
        };
      };
    }
  }
  return history;
}
