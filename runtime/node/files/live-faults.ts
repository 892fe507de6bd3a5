/**
 * The faults of a disk as they are now: those of its host, which may change during a run.
 */

import type { DiskFaults } from '../../storage/profile.js';
import type { FileFaults } from '../faults.js';
import type { Host } from '../host.js';

const NO_TIME = { min: 0, max: 0 };

export class LiveFaults implements DiskFaults {
  constructor(private readonly host: Host) {}

  private get now(): FileFaults {
    return this.host.faults.files;
  }

  get tornWrite(): number {
    return this.now.tornWrite ?? 0;
  }

  get corruptByte(): number {
    return this.now.corruptByte ?? 0;
  }

  get skipSync(): number {
    return this.now.skipSync ?? 0;
  }

  get reorder(): number {
    return this.now.reorder ?? 0;
  }

  get misdirectedWrite(): number {
    return this.now.misdirectedWrite ?? 0;
  }

  get readError(): number {
    return Math.min(1, (this.now.readError ?? 0) + this.ioError);
  }

  get ioError(): number {
    return this.now.ioError ?? 0;
  }

  get noSpace(): number {
    return this.now.noSpace ?? 0;
  }

  get short(): number {
    return this.now.short ?? 0;
  }

  get latency(): typeof NO_TIME {
    return NO_TIME;
  }

  get spread(): () => number {
    return () => 0;
  }

  get sectorSize(): number {
    return this.now.sectorSize ?? 512;
  }

  get maxSize(): number {
    return this.now.maxSize ?? Infinity;
  }
}
