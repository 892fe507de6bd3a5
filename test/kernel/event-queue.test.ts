/** The event queue against a sorted list, under random insertions, pops and cancellations. */

import { expect } from 'chai';
import fc from 'fast-check';
import { CallbackEvent, EventQueue, type QueuedEvent } from '../../runtime/kernel/event-queue.js';

describe('EventQueue', () => {
  it('pops by due time, then by insertion, whatever was cancelled', () => {
    const command = fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ cancel: fc.nat() }),
      fc.constant('pop' as const),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const queue = new EventQueue();
        let model: QueuedEvent[] = [];
        for (const c of commands) {
          if (c === 'pop') {
            model.sort((a, b) => a.due - b.due || a.order - b.order);
            expect(queue.pop()).to.equal(model.shift());
          } else if ('add' in c) {
            const event = new CallbackEvent(() => {});
            queue.add(c.add, event);
            model.push(event);
          } else if (model.length > 0) {
            const [victim] = model.splice(c.cancel % model.length, 1);
            expect(queue.cancel(victim)).to.equal(true);
            expect(queue.cancel(victim)).to.equal(false);
          }
          expect(queue.size).to.equal(model.length);
        }
        model = model.sort((a, b) => a.due - b.due || a.order - b.order);
        for (const event of model) expect(queue.pop()).to.equal(event);
        expect(queue.pop()).to.equal(undefined);
      }),
    );
  });
});
