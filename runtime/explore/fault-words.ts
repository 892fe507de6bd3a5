/**
 * The words for what goes wrong in the simulated world: in the text of a schedule, in the sentences
 * of a report, and in what a finding needs.
 *
 * A fault belongs to a source (a disk, a connection, a name that the program gives), not to a
 * position in the code: `reset(tcp/10.0.0.2:5432)#3` is the third time that this connection could
 * have been reset.
 */

import { Kind } from '../kernel/choice.js';

export interface FaultWords {
  /** In a schedule: `reset`. */
  readonly word: string;
  /** What follows the occurrence: nothing, a delay (`+5ms`) or a number (`=0.25`). */
  readonly value: 'none' | 'delay' | 'number';
  /** What a finding needs for it to happen: `a connection reset`. */
  readonly needs: string;
  /** What happens at a source, as the beginning of a sentence. */
  readonly happens: (source: string, value: string) => string;
}

export const FAULTS: ReadonlyMap<Kind, FaultWords> = new Map<Kind, FaultWords>([
  [
    Kind.Latency,
    {
      word: 'latency',
      value: 'delay',
      needs: 'a slow network or disk',
      happens: (source, value) => `What ${source} carries takes ${value} longer`,
    },
  ],
  fault(Kind.Drop, 'drop', 'a lost message', 'A message is lost'),
  fault(Kind.Duplicate, 'duplicate', 'a message that arrives twice', 'A message arrives twice'),
  fault(
    Kind.Reorder,
    'reorder',
    'messages that overtake each other',
    'A message leaves the order of its link',
  ),
  fault(
    Kind.Lose,
    'lose',
    'a crash that loses what was not synced',
    'The crash loses what was written and not synced',
  ),
  fault(Kind.Torn, 'torn', 'a torn write', 'The crash leaves only the beginning of a write'),
  fault(Kind.Corrupt, 'corrupt', 'a corrupted byte', 'A byte is written wrong'),
  fault(Kind.SkipSync, 'skip-sync', 'a disk that does not sync', 'A sync does nothing'),
  fault(
    Kind.Misdirect,
    'misdirect',
    'a misdirected write',
    'A write lands in another place than asked',
  ),
  fault(Kind.ReadError, 'read-error', 'a read error', 'A read fails'),
  fault(
    Kind.Overtake,
    'overtake',
    'writes that reach the disk in another order',
    'A write reaches the medium after the one that followed it',
  ),
  [
    Kind.Place,
    {
      word: 'place',
      value: 'number',
      needs: '',
      happens: (source, value) => `It strikes ${source} at ${value} of the range`,
    },
  ],
  [
    Kind.Chunk,
    {
      word: 'chunk',
      value: 'none',
      needs: '',
      happens: (source) => `What was written at once to ${source} arrives in two parts`,
    },
  ],
  fault(Kind.NoSpace, 'no-space', 'a full disk', 'A write fails with ENOSPC'),
  fault(Kind.IoError, 'io-error', 'an I/O error', 'An operation fails with EIO'),
  fault(Kind.Short, 'short', 'a short read or write', 'Fewer bytes are moved than asked for'),
  fault(Kind.Reset, 'reset', 'a connection reset', 'A connection is reset'),
  fault(Kind.Refuse, 'refuse', 'a refused connection', 'A connection is refused'),
  fault(
    Kind.NameFailure,
    'name-failure',
    'a name that cannot be looked up',
    'A name cannot be looked up',
  ),
  fault(
    Kind.HalfOpen,
    'half-open',
    'a peer that goes without a word',
    'The peer of a connection goes without a word',
  ),
  [
    Kind.Buggify,
    {
      word: 'buggify',
      value: 'none',
      needs: 'what the program asks for by `buggify`',
      happens: (source) => `\`buggify\` says true for ${source}`,
    },
  ],
  [
    Kind.Failpoint,
    {
      word: 'failpoint',
      value: 'none',
      needs: 'a failure at a failpoint',
      happens: (source) => `The failpoint ${source} strikes`,
    },
  ],
  fault(Kind.Crash, 'crash', 'a crash', 'The power fails'),
  [
    Kind.Quick,
    {
      word: 'quick',
      value: 'none',
      needs: '',
      happens: (source) => `${source} moves bytes faster than most disks`,
    },
  ],
]);

function fault(
  kind: Kind,
  word: string,
  needs: string,
  happens: string,
): readonly [Kind, FaultWords] {
  return [kind, { word, value: 'none', needs, happens: (source) => `${happens} at ${source}` }];
}

/** What has to go wrong for a schedule to happen, each once: `a connection reset`. */
export function needsOf(kinds: Iterable<Kind>): string[] {
  const needs = [...kinds].map((kind) => FAULTS.get(kind)?.needs ?? '');
  return [...new Set(needs)].filter((one) => one !== '');
}
