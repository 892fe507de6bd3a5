/**
 * Faults as people write them: in the config, on the command line, in a scenario. One table says
 * what there is; all names are flat, rates are from 0 to 1, times are texts such as `1ms..20ms`.
 */

import type { DelayRange, Distribution } from '../kernel/spread.js';
import { noFaults, type Failpoint, type Faults } from './faults.js';

/** What a failpoint of the program does when it strikes: it throws, or gives a value, or waits. */
export interface FailpointSettings {
  /** How often it strikes. Default 0.1. */
  readonly rate?: number;
  /** The code of the error it throws, `ECONNRESET`, or the message of one without a code. */
  readonly error?: string;
  /** What it returns. */
  readonly value?: unknown;
  /** It returns a promise that takes so long: `20ms`, `1ms..5s`. */
  readonly latency?: string;
}

/** Which faults can strike, and how often. Nothing does unless it is given. */
export interface FaultSettings {
  /** How long bytes travel between two hosts: `1ms..20ms`, `5ms`, `1ms..2s(pareto)`. */
  readonly latency?: string;
  /** Bytes per second that a connection carries. */
  readonly bandwidth?: number;
  /** Rate at which a datagram is lost. */
  readonly drop?: number;
  /** Rate at which a datagram arrives twice. */
  readonly duplicate?: number;
  /** Rate at which a connection is reset when bytes arrive. */
  readonly reset?: number;
  /** Rate at which a connection is refused. */
  readonly refuse?: number;
  /** Rate at which the peer of a connection goes without a word. */
  readonly halfOpen?: number;
  /** Rate at which a name cannot be looked up. */
  readonly nameFailure?: number;
  /** Rate at which a write fails with ENOSPC. */
  readonly noSpace?: number;
  /** Rate at which an operation on a file fails with EIO. */
  readonly ioError?: number;
  /** Rate at which a read or write moves fewer bytes than asked for. */
  readonly short?: number;
  /** Rate at which a crash leaves only the beginning of a sector. */
  readonly torn?: number;
  /** Rate at which a byte of a write reaches the medium changed. */
  readonly corrupt?: number;
  /** Rate at which a sync does nothing, and does not say so. */
  readonly skipSync?: number;
  /** Rate at which a write lands in another sector. */
  readonly misdirect?: number;
  /** Rate at which a read fails. */
  readonly readError?: number;
  /** Rate at which a write reaches the medium after the one that followed. */
  readonly overtake?: number;
  /** Rate at which a host crashes at one of its operations; it starts again after a while. */
  readonly crash?: number;
  /** Whether `buggify` of the program can say true. */
  readonly buggify?: boolean;
  /** What failpoints of the program do, by their names. */
  readonly failpoints?: Readonly<Record<string, FailpointSettings>>;
  /** Each trial draws which of these kinds are on; when none is given, of all, with their rates. */
  readonly swarm?: boolean;
}

type Form = 'rate' | 'range' | 'count' | 'switch';

/** A kind of fault that the command line has an option for. */
export interface FaultKind {
  readonly name: Exclude<keyof FaultSettings, 'failpoints'>;
  readonly form: Form;
  /** For `--help`. */
  readonly meaning: string;
  /** Where it is among the {@link Faults}. */
  readonly part: 'sockets' | 'files' | 'hosts' | 'program' | undefined;
  readonly key: string;
}

const sockets = (name: FaultKind['name'], meaning: string, form: Form = 'rate'): FaultKind => ({
  name,
  form,
  meaning,
  part: 'sockets',
  key: name,
});
const files = (name: FaultKind['name'], meaning: string, key: string = name): FaultKind => ({
  name,
  form: 'rate',
  meaning,
  part: 'files',
  key,
});

export const FAULT_KINDS: readonly FaultKind[] = [
  sockets('latency', 'how long bytes travel, e.g. 1ms..20ms', 'range'),
  sockets('bandwidth', 'bytes per second of a connection', 'count'),
  sockets('drop', 'datagrams that are lost'),
  sockets('duplicate', 'datagrams that arrive twice'),
  sockets('reset', 'connections that are reset'),
  sockets('refuse', 'connections that are refused'),
  sockets('halfOpen', 'peers that go without a word'),
  sockets('nameFailure', 'names that cannot be looked up'),
  files('noSpace', 'writes that fail with ENOSPC'),
  files('ioError', 'operations on files that fail with EIO'),
  files('short', 'reads and writes that move fewer bytes'),
  files('torn', 'writes that a crash tears', 'tornWrite'),
  files('corrupt', 'writes with a byte changed', 'corruptByte'),
  files('skipSync', 'syncs that do nothing'),
  files('misdirect', 'writes that land elsewhere', 'misdirectedWrite'),
  files('readError', 'reads that fail'),
  files('overtake', 'writes that the next one overtakes', 'reorder'),
  {
    name: 'crash',
    form: 'rate',
    meaning: 'operations at which a host crashes',
    part: 'hosts',
    key: 'crash',
  },
  {
    name: 'buggify',
    form: 'switch',
    meaning: 'let `buggify` of the program say true',
    part: 'program',
    key: 'buggify',
  },
  {
    name: 'swarm',
    form: 'switch',
    meaning: 'each trial draws which kinds of faults are on',
    part: undefined,
    key: 'swarm',
  },
];

/** What is wrong with settings of faults: a sentence that names the key. */
export class FaultSettingsError extends Error {}

/**
 * Checks settings and brings them into the form that the simulated world goes by.
 * @throws FaultSettingsError
 */
export function resolveFaults(settings: FaultSettings): Faults {
  if (!isObject(settings)) {
    throw new FaultSettingsError('faults must be an object, for instance {"reset": 0.01}');
  }
  const parts = { sockets: {}, files: {}, hosts: {}, program: {} } as Record<
    'sockets' | 'files' | 'hosts' | 'program',
    Record<string, unknown>
  >;
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || name === 'failpoints') continue;
    const kind = FAULT_KINDS.find((one) => one.name === name);
    if (kind === undefined) {
      const names = [...FAULT_KINDS.map((one) => one.name), 'failpoints'].join(', ');
      throw new FaultSettingsError(`"${name}" is no kind of fault: there are ${names}`);
    }
    const checked = checkValue(name, kind.form, value);
    if (kind.part !== undefined) parts[kind.part][kind.key] = checked;
  }
  const failpoints = resolveFailpoints(settings.failpoints);
  return {
    ...noFaults,
    ...parts,
    ...(failpoints === undefined ? {} : { program: { ...parts.program, failpoints } }),
    ...(settings.swarm === true ? { swarm: true } : {}),
  };
}

function checkValue(name: string, form: Form, value: unknown): unknown {
  switch (form) {
    case 'rate':
      if (isRate(value)) return value;
      throw new FaultSettingsError(
        `"${name}" must be a rate from 0 to 1, but it is ${show(value)}`,
      );
    case 'count':
      if (Number.isSafeInteger(value) && Number(value) > 0) return value;
      throw new FaultSettingsError(
        `"${name}" must be a whole number, 1 or more, but it is ${show(value)}`,
      );
    case 'switch':
      if (typeof value === 'boolean') return value;
      throw new FaultSettingsError(`"${name}" must be true or false, but it is ${show(value)}`);
    case 'range':
      return range(name, value);
  }
}

function resolveFailpoints(
  settings: FaultSettings['failpoints'],
): Readonly<Record<string, Failpoint>> | undefined {
  if (settings === undefined) return undefined;
  if (!isObject(settings)) {
    throw new FaultSettingsError(
      '"failpoints" must be an object, for instance {"db.commit": {"rate": 0.1, "error": "ECONNRESET"}}',
    );
  }
  const entries = Object.entries(settings).map(([name, one]) => {
    const where = `failpoints["${name}"]`;
    if (!isObject(one)) throw new FaultSettingsError(`"${where}" must be an object`);
    const known = ['rate', 'error', 'value', 'latency'];
    for (const key of Object.keys(one)) {
      if (known.includes(key)) continue;
      throw new FaultSettingsError(`"${where}.${key}" is not known: there are ${known.join(', ')}`);
    }
    const { rate = 0.1, error, value, latency } = one;
    if (!isRate(rate)) {
      throw new FaultSettingsError(
        `"${where}.rate" must be a rate from 0 to 1, but it is ${show(rate)}`,
      );
    }
    if (error !== undefined && (typeof error !== 'string' || error === '')) {
      throw new FaultSettingsError(
        `"${where}.error" must be the code or the message of an error, but it is ${show(error)}`,
      );
    }
    const takes = latency === undefined ? {} : { latency: range(`${where}.latency`, latency) };
    return [name, { rate, error, value, ...takes }] as const;
  });
  return Object.fromEntries(entries);
}

const UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 } as const;
const TIME = String.raw`(\d+(?:\.\d+)?)(ns|us|µs|ms|s)`;
const RANGE = new RegExp(
  String.raw`^${TIME}(?:\.\.${TIME})?(?:\((uniform|exponential|pareto)\))?$`,
);

/**
 * A range of times from its text, in nanoseconds.
 * @throws FaultSettingsError
 */
function range(name: string, value: unknown): DelayRange {
  const match = typeof value === 'string' ? RANGE.exec(value) : null;
  if (match === null) {
    throw new FaultSettingsError(
      `"${name}" must be a time or a range of times, for instance "5ms", "1ms..20ms" or ` +
        `"1ms..2s(pareto)", but it is ${show(value)}`,
    );
  }
  const [, number, unit, most, unitOfMost, distribution] = match;
  const min = nanoseconds(number, unit);
  const max = most === undefined ? min : nanoseconds(most, unitOfMost);
  if (max < min) {
    throw new FaultSettingsError(`"${name}" is ${show(value)}, which ends before it begins`);
  }
  return {
    min,
    max,
    ...(distribution === undefined ? {} : { distribution: distribution as Distribution }),
  };
}

function nanoseconds(number: string, unit: string): number {
  return Math.round(Number(number) * UNITS[unit as keyof typeof UNITS]);
}

function isRate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
