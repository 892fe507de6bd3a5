/**
 * Faults on the command line, and in the variable that carries them to mocha:
 * `DETSIM_FAULTS='reset=0.01 latency=1ms..20ms swarm'`.
 */

import { Option, type Command } from 'commander';
import {
  FAULT_KINDS,
  FaultSettingsError,
  resolveFaults,
  type FaultKind,
  type FaultSettings,
} from '../runtime/node/fault-settings.js';
import { UserError } from './errors.js';

/** The rate of an option that is given without one. */
const USUAL_RATE = 0.01;

/** The faults that a command line may ask for, each by its own name. */
export type FaultFlags = Partial<Record<FaultKind['name'], unknown>>;

/** Adds an option for each kind of fault. */
export function addFaultOptions(command: Command): Command {
  for (const kind of FAULT_KINDS) {
    const flag = flagOf(kind);
    const value = { rate: ' [rate]', range: ' <range>', count: ' <n>', switch: '' }[kind.form];
    const option = new Option(`${flag}${value}`, `fault: ${kind.meaning}`);
    // `--no-space` is about space on a disk, not the negation of `--space`.
    option.negate = false;
    command.addOption(
      kind.form === 'switch' ? option : option.argParser((text: string) => parse(kind, text)),
    );
  }
  return command;
}

/** `--no-space` */
function flagOf({ name }: FaultKind): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function parse(kind: FaultKind, text: string): unknown {
  const number = text.trim() === '' ? NaN : Number(text);
  const value = kind.form === 'range' || Number.isNaN(number) ? text : number;
  check({ [kind.name]: value }, () => `${flagOf(kind)}=${text}`);
  return value;
}

/** What the options ask for; undefined when there is none. */
export function faultsOf(flags: FaultFlags): FaultSettings | undefined {
  const given = FAULT_KINDS.filter(({ name }) => flags[name] !== undefined);
  if (given.length === 0) return undefined;
  const entries = given.map(({ name, form }) => {
    // An option without its value is `true`.
    return [name, form === 'rate' && flags[name] === true ? USUAL_RATE : flags[name]];
  });
  return Object.fromEntries(entries) as FaultSettings;
}

/** The text of settings; failpoints, which only the config can hold, are left out. */
export function faultText(settings: FaultSettings): string {
  return FAULT_KINDS.flatMap(({ name, form }) => {
    const value = settings[name];
    if (value === undefined || value === false) return [];
    return [form === 'switch' ? name : `${name}=${value}`];
  }).join(' ');
}

/**
 * Reads the text.
 * @throws UserError with the part that cannot be read
 */
export function parseFaultText(text: string): FaultSettings {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const settings = words.map((word) => {
    const [, name, value] = /^([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    const kind = FAULT_KINDS.find((one) => one.name === name);
    if (kind?.form === 'switch' && value === undefined) return { [kind.name]: true };
    if (kind?.form === 'range') return { [kind.name]: value };
    return { [name ?? word]: value === undefined ? USUAL_RATE : Number(value) };
  });
  const all = Object.assign({}, ...settings) as FaultSettings;
  check(all, () => `DETSIM_FAULTS="${text}"`);
  return all;
}

function check(settings: FaultSettings, what: () => string): void {
  try {
    resolveFaults(settings);
  } catch (error) {
    if (!(error instanceof FaultSettingsError)) throw error;
    throw new UserError(`${what()} cannot be understood: ${error.message}.`);
  }
}
