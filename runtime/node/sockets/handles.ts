/**
 * Handles for Node's own sockets.
 */

import type net from 'node:net';
import { UncontrolledError } from '../../errors.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { currentHost } from '../host.js';
import { siteOfCall } from '../operation.js';
import { UV } from './bindings.js';
import { PipeHandle, TcpHandle } from './sockets.js';
import type { StreamHandle } from './stream-handle.js';

/** A handle for a socket that is going to connect. */
export function handleFor(scheduler: Scheduler, socket: net.Socket, pipe: boolean): StreamHandle {
  const host = currentHost(scheduler);
  if (pipe) return new PipeHandle(scheduler, host);
  const handle = new TcpHandle(scheduler, host);
  const site = siteOfCall(scheduler);
  handle.leaves = (address) => {
    // The name that somebody else than `dns` has looked up, if there was one.
    const names = [address, (socket as { _host?: string | null })._host];
    if (names.some((one) => one && handle.network.unreachable.has(one))) return UV.ENETUNREACH;
    scheduler.recordUncontrolled('net.Socket.connect', site, false);
    socket.destroy(new UncontrolledError('net.Socket.connect', site.position(), address));
    return 0;
  };
  return handle;
}
