/**
 * Looking up names.
 */

import dns from 'node:dns';
import type { Scenarios } from '../tracer.js';

export const names: Scenarios = {
  'lookup of localhost': (t) => {
    dns.lookup('localhost', (...answer) => t.note('lookup', ...answer));
    dns.lookup('localhost', 4, (...answer) => t.note('family 4', ...answer));
    dns.lookup('localhost', { all: true }, (...answer) => t.note('all', ...answer));
  },

  'lookup of addresses': (t) => {
    dns.lookup('127.0.0.1', (...answer) => t.note('IPv4', ...answer));
    dns.lookup('::1', { all: true }, (...answer) => t.note('IPv6', ...answer));
  },

  'lookup by promises': async (t) => {
    t.note('lookup', await dns.promises.lookup('localhost', { family: 4 }));
    t.note('all', await dns.promises.lookup('127.0.0.1', { all: true }));
  },

  'the order of lookups and immediates': (t) => {
    dns.lookup('127.0.0.1', () => t.note('one', 'lookup'));
    process.nextTick(() => t.note('one', 'tick'));
    setImmediate(() => t.note('one', 'immediate'));
  },

  'the service of a port': (t) => {
    dns.lookupService('127.0.0.1', 22, (error, _name, service) =>
      t.note('service', error, service),
    );
    dns.lookupService('127.0.0.1', 54321, (error, _name, service) =>
      t.note('port', error, service),
    );
  },

  'lookups that are wrong': (t) => {
    for (const run of [
      () => dns.lookup('localhost', { family: 5 } as never, () => {}),
      () => dns.lookup('localhost', { hints: 12345 }, () => {}),
      () => dns.lookupService('localhost', 80, () => {}),
      () => dns.resolve('localhost', 'X' as never, () => {}),
    ]) {
      try {
        run();
      } catch (error) {
        t.note('thrown', (error as NodeJS.ErrnoException).code);
      }
    }
  },

  'a resolver that is cancelled': (t) => {
    const resolver = new dns.Resolver();
    resolver.setServers(['127.0.0.1:9']);
    resolver.resolve4('example.com', (error) => t.note('resolve', error));
    resolver.cancel();
  },
};
