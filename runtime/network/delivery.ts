/**
 * A message on its way: an event of the simulation, due when it arrives.
 */

import { QueuedEvent } from '../kernel/event-queue.js';
import type { Link } from './link.js';

/** Gets the messages when they are due. */
export interface Deliverer<M> {
  arrive(delivery: Delivery<M>): void;
}

export class Delivery<M> extends QueuedEvent {
  // Assigning in the constructor is quicker than class fields are.
  declare private readonly deliverer: Deliverer<M>;
  declare readonly link: Link<M>;
  declare readonly message: M;
  /** Which message of its link it is. */
  declare readonly number: number;

  constructor(deliverer: Deliverer<M>, link: Link<M>, message: M, number: number) {
    super();
    this.deliverer = deliverer;
    this.link = link;
    this.message = message;
    this.number = number;
  }

  run(): void {
    this.deliverer.arrive(this);
  }
}
