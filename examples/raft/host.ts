/**
 * The process a node runs in: its clock, timers, network address and disks. When it crashes,
 * everything of it stops at once and for good, and a disk keeps what power loss leaves of it.
 */

import {
  DiskReadError,
  type FaultyStorage,
  type Network,
  type Random,
  type Sim,
  type SimTimer,
} from 'detsim';
import type { Disk } from './journal.js';
import type { Message } from './messages.js';

/** The power fails while a disk is asked to sync. */
class PowerLoss extends Error {}

export class Host {
  up = false;
  private readonly random: Random;

  /**
   * @param storage none for a node that has nothing to lose
   * @param powerLoss how often the power fails at a sync, from 0 to 1
   * @param crashed called when it has
   */
  constructor(
    readonly id: string,
    readonly sim: Sim,
    private readonly network: Network<Message>,
    private readonly storage: readonly FaultyStorage[],
    private readonly powerLoss: number,
    private readonly crashed: () => void,
  ) {
    this.random = sim.random(`power of ${id}`);
  }

  get now(): number {
    return this.sim.now;
  }

  /** The disks, as long as the power is on. */
  get disks(): Disk[] {
    return this.storage.map((storage) => ({
      readAt: (offset, length) => storage.readAt(offset, length),
      writeAt: (offset, bytes) => storage.writeAt(offset, bytes),
      truncate: (size) => storage.truncate(size),
      size: () => storage.size(),
      sync: () => {
        if (this.powerLoss > 0 && this.random.chance(this.powerLoss)) throw new PowerLoss();
        storage.sync();
      },
    }));
  }

  send(to: string, message: Message): void {
    this.network.send(this.id, to, message);
  }

  after(delay: number, callback: () => void): SimTimer {
    return this.sim.after(delay, () => this.run(callback));
  }

  /** Runs `main`; from here on `receive` gets the messages. */
  start(main: () => void, receive: (message: Message, from: string) => void): void {
    this.up = true;
    this.network.register(this.id, (message, from) => this.run(() => receive(message, from)));
    this.run(main);
  }

  /** Runs code of the process, which may not survive it. */
  run(code: () => void): void {
    if (!this.up) return;
    try {
      code();
    } catch (error) {
      // A process that cannot read its disk ends, too; it is started again like any other.
      if (!(error instanceof PowerLoss || error instanceof DiskReadError)) throw error;
      this.crash();
    }
  }

  crash(): void {
    this.up = false;
    this.network.unregister(this.id);
    for (const storage of this.storage) storage.crash();
    this.crashed();
  }
}
