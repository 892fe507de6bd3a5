/**
 * A job of a sweep on its way through the queue, and what came of it on its way back.
 *
 * Both are plain data without the paths of a machine. A batch's name is a hash of what is to be
 * done, so the same batch of the same sweep has the same name whoever asks for it and when.
 */

import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { hashOf } from '../overlay/disk.js';
import type { Outcome } from '../sweep/lane.js';
import type { FromWorker, Job, TrialResults, TrialsJob } from '../sweep/protocol.js';
import { mapStrings, toPortable } from './shared-sweep.js';

/** What a job of BullMQ holds. */
export interface BatchData {
  /** Without the profile, which every batch of a file has in common. */
  readonly job: Job;
  /** Where the profile is. */
  readonly profile: string | undefined;
  /** Where that is which a part of a search begins with. */
  readonly known: string | undefined;
  /** How long the process may be silent, in ms: while it loads, and later. */
  readonly silenceMs: readonly [loading: number, later: number];
}

/** What came of a batch. */
export interface BatchResult {
  readonly results: readonly TrialResults[];
  /** The test that ran last, where the process said so. */
  readonly scope: string;
  readonly outcome: Outcome<unknown>;
}

/** Stands for the root of whatever checkout has seen a path. */
const ROOT = '\u0001root\u0001';

/** @param attempt how often the batch has been asked for: a lost process is given another try */
export function batchName(root: string, job: Job, attempt: number): string {
  const { profile: _, ...rest } = job;
  const carefulMs = (job as TrialsJob).carefulMs === undefined ? undefined : 0;
  const what = { ...withoutKnown(rest as Job), file: toPortable(root, job.file), carefulMs };
  return `${job.kind}-${hashOf(JSON.stringify(what)).slice(0, 20)}-${attempt}`;
}

export function profileName({ file, isolate }: Job, root: string): string {
  return `${isolate} ${toPortable(root, file)}`;
}

/** Where the batches of one round of a search find what the earlier rounds have found. */
export function knownName(job: Job, root: string): string | undefined {
  const { part } = job as TrialsJob;
  if (part === undefined) return undefined;
  const hash = hashOf(Buffer.from(part.known).toString('latin1')).slice(0, 20);
  return `known ${hash} ${profileName(job, root)}`;
}

/** The same for every batch of a round, and large. */
export function withoutKnown(job: Job): Job {
  const { part } = job as TrialsJob;
  if (part === undefined) return job;
  return { ...job, part: { ...part, known: new Uint8Array() } } as Job;
}

/** Packs a result, without the paths of this machine. */
export function packResult(root: string, result: BatchResult): Buffer {
  const portable = mapStrings(result, (text) => text.replaceAll(root, ROOT));
  return deflateRawSync(serialize(portable), { level: 1 });
}

/** Unpacks a result, with the paths of this machine. */
export function unpackResult(root: string, record: Buffer): BatchResult {
  const portable = deserialize(inflateRawSync(record)) as BatchResult;
  return mapStrings(portable, (text) => text.replaceAll(ROOT, root));
}

/** Keeps what the messages of a batch's process come to. */
export class BatchMessages {
  readonly results: TrialResults[] = [];
  scope = '';

  readonly listen = (message: FromWorker): void => {
    if (message.type === 'results') this.results.push(message.results);
    else if (message.type === 'trial') this.scope = '';
    else if (message.type === 'scope') this.scope = message.title;
  };
}
