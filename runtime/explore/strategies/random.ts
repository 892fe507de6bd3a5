/**
 * Random: each choice deviates with one probability, drawn for the trial.
 *
 * The baseline of every comparison, and a good one: Thomson, Donaldson and Betts (PPoPP 2014) found
 * that it does about as well as bounded searches on small programs.
 */

import type { Strategy } from '../../kernel/choice.js';
import { fraction, mix } from '../../kernel/hash.js';
import type { ScopeProfile } from '../profile.js';
import { delays, pick, values } from './draws.js';

/** How often a choice deviates in one trial. */
const RATES = [0.5, 0.25, 0.12, 0.06, 0.03];

export function random(seed: number, profile: ScopeProfile): Strategy {
  const rate = pick(RATES, mix(seed, 1));
  const draw = delays(seed, profile);
  return {
    ...values(seed),
    delay(choice) {
      const hash = mix(mix(seed, choice.key), choice.occurrence);
      return choice.limit > 0 && fraction(hash) < rate ? draw(choice, hash) : 0;
    },
  };
}
