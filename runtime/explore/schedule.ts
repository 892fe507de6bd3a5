/**
 * A schedule: a sparse map of deviations, and its text form that can be pasted.
 *
 *     stubs;src/token.ts:31:9/refresh.2#1+40ms;test/token.test.ts:8:3/#2=0.84
 *
 * The rung, then one part for each deviation: site, path of the task below its scope, occurrence,
 * and what deviates: `+40ms` an await or reaction, `late+40ms` a timer of a stand-in, `loop+3ms`
 * the event loop before a timer, `sync+1ms` the code before the creation of a timer, `=0.84` a
 * random number; `op+0.1ms` an operation of a task primitive, whose name stands for the site
 * (`Channel.recv`), `case+1` which of the ready cases a `select` takes; `io+2ms` an operation on a
 * file, a socket or the thread pool. `bytes=7` is the seed of cryptographic bytes.
 *
 * What goes wrong in the simulated world has the name of its source in place of a site, behind the
 * word for the fault: `reset(tcp/10.0.0.2:5432)#3`, `torn(disk/db)#1`,
 * `latency(tcp/10.0.0.2:5432)#2+5ms`; see fault-words.ts. A number of a named stream is
 * `random(random/retry)#2=0.84`.
 *
 * A deviation outside the scope of the test is preceded by `{scope}`. `?` is the site of code that
 * is not instrumented. Characters with a meaning here or for a shell are percent-encoded.
 */

import { Kind, type Decision } from '../kernel/choice.js';
import { RUNGS, type Rung } from '../kernel/rung.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { unknownSite } from '../tasks/sites.js';
import { FAULTS } from './fault-words.js';

/** A deviation by its names, as in the text form. */
export interface NamedDeviation {
  readonly kind: Kind;
  /** The scope it belongs to; '' is the scope of the test that is replayed. */
  readonly scope: string;
  /** `file:line:column` */
  readonly site: string;
  readonly task: string;
  readonly occurrence: number;
  /** Nanoseconds of delay, or the value. */
  readonly value: number;
}

export interface Schedule {
  readonly rung: Rung;
  readonly deviations: readonly NamedDeviation[];
}

const WORDS = new Map<Kind, string>([
  [Kind.Await, '+'],
  [Kind.Timer, 'late+'],
  [Kind.Stall, 'loop+'],
  [Kind.Create, 'sync+'],
  [Kind.Random, '='],
  [Kind.Operation, 'op+'],
  [Kind.Select, 'case+'],
  [Kind.Io, 'io+'],
]);

/** Names a recorded deviation. `test` is the scope that is left out of the text. */
export function nameDeviation(deviation: Decision, test: string): NamedDeviation {
  const { title } = deviation.task.scope;
  return {
    kind: deviation.kind,
    scope: title === test ? '' : title,
    site: deviation.site.position(),
    task: deviation.task.path(),
    occurrence: deviation.occurrence,
    value: deviation.value,
  };
}

// ---- text --------------------------------------------------------------------------------------

/** The text form of a schedule. */
export function formatSchedule(schedule: Schedule): string {
  return [RUNGS[schedule.rung], ...schedule.deviations.map(formatDeviation)].join(';');
}

function formatDeviation(d: NamedDeviation): string {
  const scope = d.scope === '' ? '' : `{${encode(d.scope)}}`;
  if (d.kind === Kind.Bytes) return `${scope}bytes=${d.value}`;
  if (isOfSource(d)) return `${scope}${formatFault(d)}`;
  const site = d.site === unknownSite.position() ? '?' : encode(d.site);
  const value = isNumber(d.kind) ? String(d.value) : formatDelay(d.value);
  return `${scope}${site}/${encode(d.task)}#${d.occurrence}${WORDS.get(d.kind)}${value}`;
}

/** Whether it has a source in place of a site. */
export function isOfSource({ kind, site }: Pick<NamedDeviation, 'kind' | 'site'>): boolean {
  return FAULTS.has(kind) || (kind === Kind.Random && !/^$|:\d+:\d+$/.test(site));
}

function formatFault({ kind, site, task, occurrence, value }: NamedDeviation): string {
  const { word, value: form } = FAULTS.get(kind) ?? STREAM;
  const where = `${word}(${encode(site).replace(/[()]/g, hex)})`;
  const number = form === 'none' ? '' : form === 'delay' ? `+${formatDelay(value)}` : `=${value}`;
  return `${where}${task === '' ? '' : `/${encode(task)}`}#${occurrence}${number}`;
}

/** A number drawn from a named stream. */
const STREAM = { word: 'random', value: 'number' } as const;

/** A delay as people write it: `40ms`, `0.25ms`, `1.5s`. */
export function formatDelay(nanoseconds: number): string {
  return nanoseconds >= 1e9
    ? `${nanoseconds / 1e9}s`
    : `${Number((nanoseconds / MILLISECOND).toFixed(6))}ms`;
}

function encode(text: string): string {
  return text.replace(/[^\w./:@()<>, *-]+/g, (c) => encodeURIComponent(c).replace(/['!]/g, hex));
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const PART =
  /^(?:\{([^}]*)\})?(?:bytes=(\d+)|(\?|.+?:\d+:\d+|[\w.]+)\/(.*)#(\d+)(\+|(?:late|loop|sync|op|case|io)\+|=)([\d.e+-]+)(ms|s|))$/;

/**
 * Reads the text form.
 * @throws {SyntaxError} with the part that cannot be read
 */
export function parseSchedule(text: string): Schedule {
  const [name, ...parts] = text.trim().split(';');
  const rung = (RUNGS as readonly string[]).indexOf(name);
  if (rung < 0) {
    throw new SyntaxError(
      `The schedule begins with "${name}", which is no rung. ` +
        `It must begin with one of ${RUNGS.join(', ')}, as in the line that detsim printed.`,
    );
  }
  return { rung: rung as Rung, deviations: parts.filter((p) => p !== '').map(parseDeviation) };
}

const FAULT_PART =
  /^(?:\{([^}]*)\})?([a-z][a-z-]*)\(([^()]+)\)(?:\/(.*))?#(\d+)(?:\+([\d.e+-]+)(ms|s)|=([\d.e+-]+))?$/;

const FAULTS_BY_WORD = new Map<string, readonly [Kind, 'none' | 'delay' | 'number']>([
  ...[...FAULTS].map(([kind, { word, value }]) => [word, [kind, value]] as const),
  [STREAM.word, [Kind.Random, STREAM.value]],
]);

/** What goes wrong in the simulated world; undefined when the part is not about that. */
function parseFault(part: string): NamedDeviation | undefined {
  const match = FAULT_PART.exec(part);
  const found = match === null ? undefined : FAULTS_BY_WORD.get(match[2]);
  if (match === null || found === undefined) return undefined;
  const [, scope = '', , site, task = '', occurrence, delay, unit, number] = match;
  const [kind, form] = found;
  const given = delay !== undefined ? 'delay' : number !== undefined ? 'number' : 'none';
  const scale = unit === 's' ? 1e9 : MILLISECOND;
  const value =
    form === 'none' ? 1 : form === 'delay' ? Math.round(Number(delay) * scale) : Number(number);
  const valid = given === form && Number.isFinite(value) && value >= 0;
  if (!valid || (form === 'number' && value >= 1)) throw unreadable(part);
  return {
    kind,
    scope: decode(scope, part),
    site: decode(site, part),
    task: decode(task, part),
    occurrence: Number(occurrence),
    value,
  };
}

function parseDeviation(part: string): NamedDeviation {
  const fault = parseFault(part);
  if (fault !== undefined) return fault;
  const match = PART.exec(part);
  if (match === null) throw unreadable(part);
  const [, scope = '', bytes, site, task, occurrence, word, number, unit] = match;
  const base = { scope: decode(scope, part) };
  if (bytes !== undefined) {
    return { ...base, kind: Kind.Bytes, site: '', task: '', occurrence: 1, value: Number(bytes) };
  }
  const kind = [...WORDS].find(([, w]) => w === word)![0];
  const scale = unit === 's' ? 1e9 : unit === 'ms' ? MILLISECOND : 1;
  const value = isNumber(kind) ? Number(number) : Math.round(Number(number) * scale);
  const valid = isNumber(kind) ? unit === '' && (kind === Kind.Select || value < 1) : unit !== '';
  if (!valid || !Number.isFinite(value) || value < 0) throw unreadable(part);
  return {
    ...base,
    kind,
    site: site === '?' ? unknownSite.position() : decode(site, part),
    task: decode(task, part),
    occurrence: Number(occurrence),
    value,
  };
}

/** Whether the value is a plain number, and not a delay. */
function isNumber(kind: Kind): boolean {
  return kind === Kind.Random || kind === Kind.Select;
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable(part);
  }
}

function unreadable(part: string): SyntaxError {
  return new SyntaxError(
    `The schedule has a part that cannot be read: "${part}". A part looks like ` +
      'src/token.ts:31:9/refresh.2#1+40ms. Paste the whole line that detsim printed, with its quotes.',
  );
}
