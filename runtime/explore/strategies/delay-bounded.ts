/**
 * Delay-bounded: a budget of one to four deviations, placed uniformly over the choices of a run.
 *
 * After Emmi, Qadeer and Rakamarić (POPL 2011): most bugs need few deviations from a deterministic
 * default. Placing them at random positions instead of enumerating is what PCT does with its
 * priority change points.
 */

import { isOrder, type Strategy } from '../../kernel/choice.js';
import { finish, fraction, mix } from '../../kernel/hash.js';
import { NODE, type Rung } from '../../kernel/rung.js';
import type { ScopeProfile } from '../profile.js';
import { delays, values } from './draws.js';

const MOST = 4;

export function delayBounded(seed: number, profile: ScopeProfile, rung: Rung): Strategy {
  const { choices } = profile;
  // Above rung node the few deviations go to what that rung adds.
  const all = rung <= NODE;
  const expected = all ? choices[rung] : choices[rung] - choices[NODE];
  const budget = 1 + ((finish(mix(seed, 4)) >>> 0) % MOST);
  const draw = delays(seed, profile);
  const places = new Set<number>();
  for (let i = 0; i < budget; i++) {
    places.add(1 + Math.floor(fraction(mix(mix(seed, 5), i)) * Math.max(1, expected)));
  }
  let asked = 0;
  return {
    ...values(seed),
    delay(choice) {
      if (!all && !isOrder(choice.kind)) return 0;
      if (!places.has(++asked) || choice.limit <= 0) return 0;
      return draw(choice, mix(mix(seed, choice.key), choice.occurrence));
    },
  };
}
