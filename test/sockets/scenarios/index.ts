/**
 * All scenarios of the conformance suite.
 */

import type { Scenarios } from '../tracer.js';
import { connecting } from './connecting.js';
import { datagrams } from './datagrams.js';
import { ending } from './ending.js';
import { names } from './names.js';
import { secureScenarios } from './secure.js';
import { servers } from './servers.js';
import { streams } from './streams.js';

export const allScenarios: Scenarios = {
  ...connecting,
  ...streams,
  ...ending,
  ...servers,
  ...datagrams,
  ...names,
  ...secureScenarios,
};
