/**
 * All scenarios of the conformance suite.
 */

import type { Scenarios } from '../tracer.js';
import { connecting } from './connecting.js';
import { ending } from './ending.js';
import { servers } from './servers.js';
import { streams } from './streams.js';

export const allScenarios: Scenarios = { ...connecting, ...streams, ...ending, ...servers };
