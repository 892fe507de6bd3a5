/**
 * Puts the virtual builtins in place, once per process. From then on the facades serve both worlds:
 * the simulation that runs, or the real thing when none does.
 *
 * Node's own modules are patched in place, so everybody who looks a function up afterwards gets the
 * facade; whoever took a copy before keeps the real one. So this comes before the program.
 */

import { syncBuiltinESMExports } from 'node:module';
import { installHostExit } from '../hosts/process.js';
import { installAbortTimeout } from './abort-timeout.js';
import { installAddons } from './addons.js';
import { installAtomics } from './atomics.js';
import { installBlob } from './blob.js';
import { installClocks } from './clocks.js';
import { installDate } from './date.js';
import { installQueues } from './queues.js';
import { installRandom } from './random.js';
import { installResources } from './resources.js';
import { installStamps } from './stamps.js';
import { installTimersPromises } from './timers-promises.js';
import { installTimers } from './timers.js';
import { installWeak } from './weak.js';

let installed = false;

/** Installs the virtual builtins; does nothing the second time. */
export function install(): void {
  if (installed) return;
  installed = true;
  installTimers();
  installTimersPromises();
  installQueues();
  installDate();
  installRandom();
  installAbortTimeout();
  installClocks();
  installWeak();
  installStamps();
  installResources();
  installBlob();
  installAtomics();
  installHostExit();
  installAddons();
  installLate();
  syncBuiltinESMExports();
}

/** What loads modules of Node's that keep timers for themselves: they shall find the facades. */
function installLate(): void {
  const { installCryptoRandom } =
    require('./crypto-random.js') as typeof import('./crypto-random.js');
  const { installSockets } =
    require('./sockets/install.js') as typeof import('./sockets/install.js');
  const { installTraps } = require('./traps.js') as typeof import('./traps.js');
  const { installCryptoPool } = require('./crypto-pool.js') as typeof import('./crypto-pool.js');
  const { installBroadcast } = require('./broadcast.js') as typeof import('./broadcast.js');
  const { installMessagePorts } =
    require('./message-ports.js') as typeof import('./message-ports.js');
  const { installHttp } = require('./http/install.js') as typeof import('./http/install.js');
  const { installHttp2 } = require('./http2/install.js') as typeof import('./http2/install.js');
  const { installSubtle } = require('./subtle.js') as typeof import('./subtle.js');
  const { installZlib } = require('./zlib.js') as typeof import('./zlib.js');
  installCryptoRandom();
  installSockets();
  installCryptoPool();
  installSubtle();
  installZlib();
  installMessagePorts();
  installBroadcast();
  installHttp();
  installHttp2();
  installTraps();
}
