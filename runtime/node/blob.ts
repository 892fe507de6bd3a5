/**
 * `Blob.prototype.stream`: Node turns the real event loop between two chunks, which never happens
 * inside a simulation. There the stream gives all bytes at once, a turn of the virtual loop later.
 */

import { patch } from './facade.js';
import { simulated } from './simulated.js';

const { apply } = Reflect;

export function installBlob(): void {
  patch(Blob.prototype, 'stream', 'Blob.stream', (real: () => ReadableStream) => {
    return function (this: Blob): ReadableStream {
      if (simulated() === undefined || !(this instanceof Blob)) return apply(real, this, []);
      return new ReadableStream(
        {
          type: 'bytes',
          pull: async (controller) => {
            const bytes = new Uint8Array(await this.arrayBuffer());
            await new Promise((resolve) => globalThis.setImmediate(resolve));
            if (bytes.length > 0) controller.enqueue(bytes);
            controller.close();
            controller.byobRequest?.respond(0);
          },
        },
        { highWaterMark: 0 },
      );
    };
  });
}
