/**
 * `fetch` over real and simulated sockets.
 */

import type { Scenarios, Tracer } from '../../sockets/tracer.js';
import { serve, type Handler } from './serve.js';

const hello: Handler = (request, response) => {
  response.setHeader('Content-Type', 'text/plain');
  response.end(`${request.method} ${request.url}`);
};

/** What a program with fetch does, and the end of the server. */
function fetching(
  program: (t: Tracer, at: string) => Promise<unknown>,
  handler: Handler = hello,
): Scenarios[string] {
  return (t) => {
    serve(t, {}, handler, (port, server) => {
      void program(t, `http://127.0.0.1:${port}`)
        .catch((error: Error) => t.note('fetch', error, error.cause))
        .then(() => {
          server.closeAllConnections();
          server.close();
        });
    });
  };
}

export const fetches: Scenarios = {
  'fetch a text': fetching(async (t, at) => {
    const response = await fetch(`${at}/path?query`);
    const { status, statusText, ok, redirected, type } = response;
    t.note('fetch', status, statusText, ok, redirected, type, response.headers.get('content-type'));
    t.note('fetch', await response.text());
  }),

  'fetch with a body': fetching(
    async (t, at) => {
      const response = await fetch(at, { method: 'POST', body: JSON.stringify({ a: 1 }) });
      t.note('fetch', await response.json());
    },
    (request, response) => request.pipe(response),
  ),

  'fetch twice on one connection': fetching(async (t, at) => {
    for (const path of ['/1', '/2']) t.note('fetch', await (await fetch(at + path)).text());
  }),

  'fetch at the same time': fetching(async (t, at) => {
    const paths = ['/1', '/2', '/3'];
    const texts = await Promise.all(paths.map(async (path) => (await fetch(at + path)).text()));
    t.note('fetch', texts);
  }),

  'a redirect': fetching(
    async (t, at) => {
      const response = await fetch(`${at}/from`);
      t.note('fetch', response.redirected, response.url.endsWith('/to'), await response.text());
    },
    (request, response) => {
      if (request.url === '/from') response.writeHead(302, { Location: '/to' }).end();
      else response.end('arrived');
    },
  ),

  'a fetch that is aborted': (t) => {
    const controller = new AbortController();
    const { signal } = controller;
    const program = fetching(
      async (_t, at) => {
        await fetch(at, { signal }).catch(({ name, message }: Error) =>
          t.note('fetch', name, message),
        );
      },
      () => setTimeout(() => controller.abort(), 5),
    );
    return program(t);
  },

  'a fetch whose server hangs up': fetching(
    async (t, at) => {
      await fetch(at).catch((error: Error) => t.note('fetch', error.message));
    },
    (request) => request.socket.destroy(),
  ),

  'a body in pieces': fetching(
    async (t, at) => {
      const { body } = await fetch(at);
      let text = '';
      for await (const chunk of body!) text += Buffer.from(chunk).toString();
      t.note('fetch', text);
    },
    (_request, response) => {
      response.write('one ');
      setTimeout(() => response.end('two'), 10);
    },
  ),

  'a compressed answer': fetching(
    async (t, at) => t.note('fetch', await (await fetch(at)).text()),
    (_request, response) => {
      response.setHeader('Content-Encoding', 'deflate');
      response.end(Buffer.from('eJzLSM3JyQcABiwCFQ==', 'base64'));
    },
  ),
};
