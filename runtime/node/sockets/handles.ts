/**
 * Handles for Node's own sockets.
 */

import type net from 'node:net';
import { UncontrolledError } from '../../errors.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { currentHost } from '../host.js';
import { siteOfCall } from '../operation.js';
import { PipeHandle, TcpHandle } from './sockets.js';
import type { StreamHandle } from './stream-handle.js';

/** A handle for a socket that is going to connect. */
export function handleFor(scheduler: Scheduler, socket: net.Socket, pipe: boolean): StreamHandle {
  const host = currentHost(scheduler);
  if (pipe) return new PipeHandle(scheduler, host);
  const handle = new TcpHandle(scheduler, host);
  const site = siteOfCall(scheduler);
  handle.leaves = (address) => {
    scheduler.recordUncontrolled('net.Socket.connect', site, false);
    socket.destroy(new UncontrolledError('net.Socket.connect', site.position(), address));
  };
  return handle;
}
