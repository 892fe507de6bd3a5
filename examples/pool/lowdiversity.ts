/**
 * One task that adds up five numbers and waits for nothing: there is one order, whatever the seed.
 */

import { spawn } from 'detsim';

export function lowdiversity(): Promise<number> {
  return spawn('adder', async () => {
    let sum = 0;
    for (let i = 0; i < 5; i++) sum += i;
    return sum;
  });
}
