/**
 * Agents that live longer than a simulation: the global ones, and those of packages. What they know
 * of connections, requests that wait and TLS sessions goes with the simulation.
 */

import http from 'node:http';
import { patch } from '../facade.js';
import { simulated } from '../simulated.js';
import type { Scheduler } from '../../tasks/scheduler.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface Agent {
  sockets: object;
  freeSockets: object;
  requests: object;
  totalSocketCount: number;
  /** Of agents for `https`. */
  _sessionCache?: { map: object; list: unknown[] };
}

/** The simulation in which an agent was used last. */
const usedIn = new WeakMap<Agent, Scheduler>();

export function installAgents(): void {
  patch(http.Agent.prototype, 'addRequest', 'http.Agent.addRequest', (real: AnyFunction) => {
    return function (this: Agent, ...args: unknown[]) {
      const scheduler = simulated();
      if (scheduler !== undefined && usedIn.get(this) !== scheduler) {
        usedIn.set(this, scheduler);
        scheduler.endings.push(() => forget(this));
      }
      return apply(real, this, args) as unknown;
    };
  });
}

function forget(agent: Agent): void {
  agent.sockets = Object.create(null) as object;
  agent.freeSockets = Object.create(null) as object;
  agent.requests = Object.create(null) as object;
  agent.totalSocketCount = 0;
  if (agent._sessionCache !== undefined) agent._sessionCache = { map: {}, list: [] };
}
