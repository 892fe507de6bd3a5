/**
 * What the kernel benchmark runs, in the order of its table.
 */

import { heartbeats } from './heartbeats.js';
import type { Scenario } from './scenario.js';

export const SCENARIOS: readonly Scenario[] = [heartbeats];
