/** What has to be true of the world for a finding of a rung to happen, in one sentence. */

import type { RungName } from '../kernel/rung.js';

export const RUNG_MEANING: Record<RungName, string> = {
  native: 'It fails in the plain order of Node: no unusual timing is needed.',
  node: 'Plain Node can do this by itself.',
  stubs: 'It happens when the real thing is slower than the stand-in that your tests use for it.',
  any: 'It happens only if this await can take long in your program. If it never does, it is safe.',
};
