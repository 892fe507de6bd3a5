/**
 * A stream: entries by growing id, and the groups that read them.
 */

export interface StreamId {
  readonly ms: bigint;
  readonly seq: bigint;
}

export interface StreamEntry {
  readonly id: StreamId;
  /** Names and values in turn. */
  readonly fields: readonly string[];
}

export const FIRST_ID: StreamId = { ms: 0n, seq: 0n };
const PART_MAX = 2n ** 64n - 1n;
export const LAST_ID: StreamId = { ms: PART_MAX, seq: PART_MAX };

export const formatId = ({ ms, seq }: StreamId): string => `${ms}-${seq}`;

/** Less than 0 when `a` comes first, 0 for the same. */
export function compareIds(a: StreamId, b: StreamId): number {
  if (a.ms !== b.ms) return a.ms < b.ms ? -1 : 1;
  return a.seq === b.seq ? 0 : a.seq < b.seq ? -1 : 1;
}

/** The next id, or undefined behind the last. */
export function following({ ms, seq }: StreamId): StreamId | undefined {
  if (seq < PART_MAX) return { ms, seq: seq + 1n };
  return ms < PART_MAX ? { ms: ms + 1n, seq: 0n } : undefined;
}

export function preceding({ ms, seq }: StreamId): StreamId | undefined {
  if (seq > 0n) return { ms, seq: seq - 1n };
  return ms > 0n ? { ms: ms - 1n, seq: PART_MAX } : undefined;
}

/** An entry that was given to a consumer and is not acknowledged. */
export interface Pending {
  readonly id: StreamId;
  consumer: Consumer;
  /** When it was given last, in milliseconds. */
  deliveredAt: number;
  deliveries: number;
}

export interface Consumer {
  readonly name: string;
  /** When it last tried to read, in milliseconds. */
  seenAt: number;
  /** When it last got something, or -1. */
  activeAt: number;
}

export class ConsumerGroup {
  readonly consumers = new Map<string, Consumer>();
  /** By the text of the id, in the order of delivery; `ordered` sorts by id. */
  readonly pending = new Map<string, Pending>();

  constructor(
    public lastDelivered: StreamId,
    /** How many entries it has read, or undefined when that cannot be known. */
    public entriesRead: number | undefined,
  ) {}

  ordered(consumer?: Consumer): Pending[] {
    const all = [...this.pending.values()];
    const own = consumer === undefined ? all : all.filter((one) => one.consumer === consumer);
    return own.sort((a, b) => compareIds(a.id, b.id));
  }
}

export class Stream {
  entries: StreamEntry[] = [];
  lastId = FIRST_ID;
  maxDeletedId = FIRST_ID;
  entriesAdded = 0;
  readonly groups = new Map<string, ConsumerGroup>();

  /** The position of the first entry with this id or a later one. */
  position(id: StreamId): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds(this.entries[middle].id, id) >= 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  get(id: StreamId): StreamEntry | undefined {
    const entry = this.entries[this.position(id)];
    return entry !== undefined && compareIds(entry.id, id) === 0 ? entry : undefined;
  }

  /** Entries from one id to another, both included. */
  range(start: StreamId, end: StreamId, count = Infinity): StreamEntry[] {
    const from = this.position(start);
    const found: StreamEntry[] = [];
    for (let i = from; i < this.entries.length && found.length < count; i++) {
      if (compareIds(this.entries[i].id, end) > 0) break;
      found.push(this.entries[i]);
    }
    return found;
  }

  append(entry: StreamEntry): void {
    this.entries.push(entry);
    this.lastId = entry.id;
    this.entriesAdded++;
  }

  delete(id: StreamId): boolean {
    const at = this.position(id);
    const entry = this.entries[at];
    if (entry === undefined || compareIds(entry.id, id) !== 0) return false;
    this.entries.splice(at, 1);
    if (compareIds(id, this.maxDeletedId) > 0) this.maxDeletedId = id;
    return true;
  }

  /** Drops the first entries. */
  trim(count: number): void {
    this.entries.splice(0, count);
  }
}
