/** Native addons: what completes outside a simulation is noted, and what is done at once passes. */

import { expect } from 'chai';
import { UncontrolledError } from '../../runtime/errors.js';
import { guarded } from '../../runtime/node/addons.js';
import { pristine } from '../../runtime/node/pristine.js';
import { simulate } from './simulate.js';

class Handle {
  static readonly kind = 'handle';
  readonly open = true;
}

let kept: (one: number) => void;

/** Stands for what an addon exports. */
const real = {
  version: '1',
  Handle,
  hash: (text: string) => text.length,
  each: (list: number[], use: (one: number) => void) => list.forEach(use),
  keep: (use: (one: number) => void) => void (kept = use),
  use: (one: number) => kept(one),
  later: (use: (one: number) => void) => void pristine.setTimeout(() => use(1), 0),
  read: () => Promise.resolve('real'),
};

describe('native addons', () => {
  const addon = guarded(real, 'addon.node') as typeof real;

  it('pass where they do their work at once', () => {
    const { log, scheduler } = simulate((write) => {
      write(addon.version, addon.hash('abc'), new addon.Handle() instanceof Handle);
      write(addon.Handle.kind, new addon.Handle().open);
      addon.each([1, 2], (one) => write(one));
    });
    expect(log).to.deep.equal(['1', 3, true, 'handle', true, 1, 2]);
    expect(scheduler.uncontrolled.size).to.equal(0);
  });

  it('call what they were given before, when they are called again', () => {
    const { log } = simulate((write) => {
      addon.keep((one) => write(one));
      addon.use(1);
      addon.use(2);
    });
    expect(log).to.deep.equal([1, 2]);
  });

  it('that complete later are noted with their site, and nothing comes back', async () => {
    const { log, scheduler } = simulate((write) => {
      addon.later(() => write('came back'));
      addon.read().catch((error: Error) => write(error));
    });
    expect(log).to.have.length(1);
    expect(log[0]).to.be.instanceOf(UncontrolledError);
    expect((log[0] as Error).message).to.match(/^addon\.node read at .*addons\.test\.js:\d+:\d+ /);
    expect(scheduler.blockedOnUncontrolled).to.equal(true);
    const calls = [...scheduler.uncontrolled.values()].map(({ call }) => call);
    expect(calls).to.deep.equal(['addon.node later', 'addon.node read']);
    await new Promise((resolve) => addon.later(resolve));
    expect(log).to.have.length(1);
  });

  it('are themselves outside a simulation', async () => {
    expect(await addon.read()).to.equal('real');
    expect(await new Promise((resolve) => addon.later(resolve))).to.equal(1);
  });
});
