/**
 * What the kernel benchmark runs, in the order of its table.
 */

import { heartbeats } from './heartbeats.js';
import { kv } from './kv.js';
import { raftScenarios } from './raft.js';
import type { Scenario } from './scenario.js';
import { novelty, trial } from './workerpool.js';

export const SCENARIOS: readonly Scenario[] = [heartbeats, ...raftScenarios, kv, trial, novelty];
