/**
 * Simulated sockets under Node's own `tls`: the encryption, the certificates and the handshake are
 * real, and the bytes travel in the simulation.
 */

import tls from 'node:tls';
import { patch } from '../facade.js';
import { simulated } from '../simulated.js';
import { ownerKey, type NativeStream } from './bindings.js';
import { handleFor } from './handles.js';
import { StreamHandle } from './stream-handle.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface TlsSocket extends tls.TLSSocket {
  readonly _tlsOptions: { readonly pipe?: boolean };
}

export function installTls(): void {
  patch(tls.TLSSocket.prototype, '_wrapHandle', 'tls.TLSSocket._wrapHandle', wrapWith);
}

/** Node wraps the handle that there is, and makes a real one where there is none. */
function wrapWith(real: AnyFunction): AnyFunction {
  return function wrapHandle(this: TlsSocket, wrap: unknown, handle?: object, ...rest: unknown[]) {
    const scheduler = simulated();
    if (scheduler === undefined) return apply(real, this, [wrap, handle, ...rest]) as unknown;
    let below = handle;
    if (!(below instanceof StreamHandle) && (below === undefined || below === null)) {
      below = handleFor(scheduler, this, this._tlsOptions.pipe === true);
      Object.assign(below, { [ownerKey]: this });
    }
    const wrapped = apply(real, this, [wrap, below, ...rest]) as NativeStream;
    if (below instanceof StreamHandle) below.above = wrapped;
    return wrapped;
  };
}
