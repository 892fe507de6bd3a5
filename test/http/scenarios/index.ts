/**
 * All scenarios of the conformance suite of HTTP.
 */

import type { Scenarios } from '../../sockets/tracer.js';
import { connections } from './connections.js';
import { fetches } from './fetching.js';
import { http2Sessions } from './http2.js';
import { requests } from './requests.js';

export const allScenarios: Scenarios = {
  ...requests,
  ...connections,
  ...fetches,
  ...http2Sessions,
};
