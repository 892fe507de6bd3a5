/**
 * Which faults of files and sockets strike, and how often. Nothing does by default.
 *
 * A rate is how often the fault strikes of all the times it could, 0 to 1. Every fault is a choice
 * on rung `node`, so it is minimized and shown like any other deviation.
 */

import type { DelayRange } from '../kernel/spread.js';
import type { StorageProfile } from '../storage/profile.js';

/** Faults of the disk under simulated files; what a crash leaves goes by the storage profile. */
export interface FileFaults extends StorageProfile {
  /** A write, or what makes a file, fails with ENOSPC. */
  readonly noSpace?: number;
  /** An operation fails with EIO. */
  readonly ioError?: number;
  /** A read or write moves fewer bytes than asked for. */
  readonly short?: number;
}

/** Faults of simulated sockets. */
export interface SocketFaults {
  /** How long bytes travel, in nanoseconds. */
  readonly latency?: DelayRange;
  /** Bytes per second that a connection carries. */
  readonly bandwidth?: number;
  /** A datagram is lost. */
  readonly drop?: number;
  /** A datagram arrives twice. */
  readonly duplicate?: number;
  /** A connection is reset when bytes arrive. */
  readonly reset?: number;
  /** A connection is refused. */
  readonly refuse?: number;
  /** A name cannot be looked up (EAI_AGAIN). */
  readonly nameFailure?: number;
  /** The peer of a connection goes without a word: nothing of it arrives any more. */
  readonly halfOpen?: number;
}

/** Faults of whole hosts. */
export interface HostFaults {
  /** A host crashes at one of its operations; it starts again after a while. */
  readonly crash?: number;
}

/** What a failpoint of the program does when it strikes. */
export interface Failpoint {
  readonly rate: number;
  /** The code, or the message, of the error that it throws. */
  readonly error?: string | undefined;
  readonly value?: unknown;
  /** In nanoseconds. */
  readonly latency?: DelayRange;
}

/** Faults that the program itself provides for. */
export interface ProgramFaults {
  /** Whether `buggify` can say true. */
  readonly buggify?: boolean;
  readonly failpoints?: Readonly<Record<string, Failpoint>>;
}

export interface Faults {
  readonly files: FileFaults;
  readonly sockets: SocketFaults;
  readonly hosts?: HostFaults;
  readonly program?: ProgramFaults;
  /** Each seed draws which of them are on; see swarm.ts. */
  readonly swarm?: boolean;
  /** What is drawn once for the whole run comes from it; there is none in a replay. */
  readonly seed?: number;
}

export const noFaults: Faults = { files: {}, sockets: {} };
