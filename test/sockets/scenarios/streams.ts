/**
 * Bytes on their way.
 */

import net from 'node:net';
import { Readable, pipeline } from 'node:stream';
import type { Scenarios } from '../tracer.js';
import { pair, portOf } from './pair.js';

const MUCH = 300_000;

export const streams: Scenarios = {
  'an echo': (t) => {
    pair(
      t,
      (socket) => socket.pipe(socket),
      (client) => (client.write('hello '), client.end('there')),
    );
  },

  'a question and an answer, three times': (t) => {
    let asked = 0;
    pair(
      t,
      (socket) => socket.on('data', (data) => socket.write(`answer to ${String(data)}`)),
      (client) => {
        const ask = () => client.write(`question ${++asked}`);
        client.on('data', () => (t.note('client', 'answered'), asked < 3 ? ask() : client.end()));
        ask();
      },
    );
  },

  'the callback of a write': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => {
        client.write('a', () => t.note('client', 'a is written'));
        client.write('b', () => t.note('client', 'b is written'));
        process.nextTick(() => t.note('client', 'next tick'));
        setImmediate(() => t.note('client', 'immediate'));
        client.end('c', () => t.note('client', 'ended'));
        t.note('client', 'all is said', client.bytesWritten);
      },
    );
  },

  'every encoding': (t) => {
    pair(
      t,
      (socket) => socket.setEncoding('hex'),
      (client) => {
        client.write('ä€', 'utf8');
        client.write('äa', 'latin1');
        client.write('ab', 'ascii');
        client.write('ab', 'ucs2');
        client.write('6162', 'hex');
        client.write('YWI=', 'base64');
        client.end(new Uint8Array([1, 2, 255]));
      },
    );
  },

  'writes while it is corked': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => {
        client.cork();
        client.write('a', 'latin1');
        client.write(Buffer.from('b'));
        client.write('cd', 'ucs2', () => t.note('client', 'written', client.bytesWritten));
        t.note('client', client.writableLength);
        client.uncork();
        client.end();
      },
    );
  },

  'buffers while it is corked': (t) => {
    pair(
      t,
      (socket) => socket.on('data', () => {}),
      (client) => {
        client.cork();
        for (const part of ['a', 'b', 'c']) client.write(Buffer.from(part));
        client.uncork();
        client.end();
      },
    );
  },

  'a buffer that is changed after it was written': (t) => {
    pair(
      t,
      (socket) => socket.on('data', () => {}),
      (client) => {
        const bytes = Buffer.from('before');
        client.write(bytes, () => client.end());
        bytes.fill('x');
      },
    );
  },

  'many bytes': (t) => {
    pair(
      t,
      (socket) => socket.on('data', () => {}),
      (client) => {
        t.note('client', client.write(Buffer.alloc(MUCH, 1)));
        client.end(() => t.note('client', client.bytesWritten));
      },
    );
  },

  'many bytes from a stream': (t) => {
    pair(
      t,
      (socket) => socket.on('data', () => {}),
      (client) => {
        const source = Readable.from(Array.from({ length: 30 }, () => Buffer.alloc(10_000)));
        pipeline(source, client, (error) => t.note('client', 'pipeline', error === undefined));
        client.resume();
      },
    );
  },

  'a reader that pauses': (t) => {
    pair(
      t,
      (socket) => {
        socket.on('data', () => {
          socket.pause();
          setTimeout(() => socket.resume(), 1);
        });
      },
      (client) => client.end(Buffer.alloc(MUCH)),
    );
  },

  'a reader that does not read for a while': (t) => {
    pair(
      t,
      (socket) => {
        socket.pause();
        setTimeout(() => (t.note('server', 'begins'), socket.resume()), 5);
      },
      (client) => client.end('early'),
    );
  },

  'read by hand': (t) => {
    pair(
      t,
      (socket) => {
        socket.removeAllListeners('data');
        let text = '';
        socket.on('readable', () => {
          for (let part = socket.read(1); part !== null; part = socket.read(1))
            text += String(part);
        });
        socket.on('end', () => t.note('server', text));
      },
      (client) => client.end('by hand'),
    );
  },

  'an async iterator': (t) => {
    pair(
      t,
      async (socket) => {
        socket.removeAllListeners('data');
        let text = '';
        for await (const part of socket) text += String(part);
        t.note('server', text);
      },
      (client) => client.end('iterated'),
    );
  },

  'a buffer of its own for reading': (t) => {
    const server = net.createServer((socket) => (socket.end('into a buffer'), server.close()));
    server.listen(0, '127.0.0.1', () => {
      const buffer = Buffer.alloc(4);
      let text = '';
      const client = net.connect({
        port: portOf(server),
        host: '127.0.0.1',
        onread: {
          buffer,
          callback: (count, bytes) => ((text += String(bytes.subarray(0, count))), true),
        },
      });
      t.socket('client', client).on('close', () => t.note('client', text));
    });
  },

  'no delay and keep alive': (t) => {
    pair(
      t,
      (socket) => {
        socket.setNoDelay().setKeepAlive(true, 1000);
        socket.end('done');
      },
      (client) => client.setNoDelay(true).setKeepAlive().resume(),
      { server: { noDelay: true, keepAlive: true }, client: { noDelay: true, keepAlive: true } },
    );
  },

  'ref and unref': (t) => {
    pair(
      t,
      (socket) => socket.unref().ref().resume(),
      (client) => (t.note('client', client.unref() === client), client.ref().end()),
    );
  },

  'counts of bytes': (t) => {
    pair(
      t,
      (socket) => {
        socket.on('data', () => socket.end('12345'));
        socket.on('close', () => t.note('server', socket.bytesRead, socket.bytesWritten));
      },
      (client) => {
        client.on('close', () => t.note('client', client.bytesRead, client.bytesWritten));
        client.write('123');
      },
    );
  },

  'a handler that throws': (t) => {
    pair(
      t,
      (socket) => {
        socket.once('data', () => {
          socket.end();
          throw new Error('thrown by a handler');
        });
      },
      (client) => client.end('x'),
    );
  },
};
