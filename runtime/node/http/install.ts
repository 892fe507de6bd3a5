/**
 * HTTP over simulated sockets. Node's own clients and servers stay; what of them goes by real time,
 * or outlives a simulation, is replaced.
 */

import { installAgents } from './agents.js';
import { installConnectionOrder } from './connections.js';
import { installFetch } from './fetch.js';
import { installDateHeader } from './date-header.js';
import { installServerTimeouts } from './server-timeouts.js';
import { installUndici } from './undici.js';
import { installWebAssembly } from './web-assembly.js';

export function installHttp(): void {
  installDateHeader();
  installAgents();
  installConnectionOrder();
  installServerTimeouts();
  installWebAssembly();
  installUndici();
  installFetch();
}
