/**
 * A link: one direction between two nodes.
 *
 * The n-th message of a link is decided by (link, kind of fault, n), each fault by one roll of its
 * own. So a rate means what it says, and no fault shifts another.
 */

import type { Simulation } from '../kernel/simulation.js';
import { Source } from '../kernel/source.js';
import { resolveFaults, type LinkFaults, type NetworkFaults } from './faults.js';

/** A member of a network. It stays known when its handler is taken away. */
export interface NetworkNode<M> {
  readonly id: string;
  /** Counts from 0 in the order of first registration. */
  readonly index: number;
  handler: ((message: M, from: string) => void) | undefined;
  /** By the index of the receiver. */
  readonly links: (Link<M> | undefined)[];
  /** Links that come into being later are cut. */
  cutOut: boolean;
  cutIn: boolean;
}

export class Link<M> extends Source {
  cut: boolean;
  /** Until then nothing comes out of it. */
  cloggedUntil = 0;
  /** When the last message that keeps the order is due. */
  lastDue = 0;
  sent = 0;
  private copiesSource: Source | undefined = undefined;

  constructor(
    private readonly simulation: Simulation,
    name: string,
    readonly from: NetworkNode<M>,
    readonly to: NetworkNode<M>,
    public faults: LinkFaults,
  ) {
    super(simulation.root, name);
    this.cut = from !== to && (from.cutOut || to.cutIn);
  }

  /** What decides about second copies of messages. */
  get copies(): Source {
    this.copiesSource ??= new Source(this.simulation.root, `${this.name}/copies`);
    return this.copiesSource;
  }

  /**
   * Changes the faults of this link; what is not given stays as it is.
   * @throws {RangeError | TypeError} with the value that is wrong
   */
  set(faults: NetworkFaults): void {
    this.faults = resolveFaults('link.set', faults, this.faults);
  }
}
