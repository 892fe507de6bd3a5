/**
 * Options of the command line as environment variables: the repro command runs mocha, which reads
 * the config file but knows nothing of detsim's options.
 */

import type { Config } from './config.js';
import { faultText, parseFaultText } from './faults.js';
import { duration, ISOLATIONS, oneOf } from './values.js';

/** The options of the command line that change what a trial does, and that the config can hold. */
export type ConfigOptions = Pick<Config, 'instrument' | 'isolate' | 'maxStall' | 'faults'>;

/** Variables that say what these options say; nothing for those that were not given. */
export function toEnvironment(options: ConfigOptions): Record<string, string> {
  const { instrument, isolate, maxStall, faults } = options;
  return {
    ...(instrument === undefined ? {} : { DETSIM_INSTRUMENT: instrument.join(',') }),
    ...(isolate === undefined ? {} : { DETSIM_ISOLATE: isolate }),
    ...(maxStall === undefined ? {} : { DETSIM_MAX_STALL: `${maxStall}ms` }),
    ...(faults === undefined ? {} : { DETSIM_FAULTS: faultText(faults) }),
  };
}

/**
 * What the variables of an environment say; see {@link toEnvironment}.
 * @throws UserError when one of them is malformed
 */
export function fromEnvironment(environment: NodeJS.ProcessEnv): ConfigOptions {
  const { DETSIM_INSTRUMENT, DETSIM_ISOLATE, DETSIM_MAX_STALL, DETSIM_FAULTS } = environment;
  return {
    ...(DETSIM_INSTRUMENT === undefined ? {} : { instrument: DETSIM_INSTRUMENT.split(',') }),
    ...(DETSIM_ISOLATE === undefined
      ? {}
      : { isolate: oneOf('DETSIM_ISOLATE', ISOLATIONS)(DETSIM_ISOLATE) }),
    ...(DETSIM_MAX_STALL === undefined
      ? {}
      : { maxStall: duration('DETSIM_MAX_STALL')(DETSIM_MAX_STALL) }),
    ...(DETSIM_FAULTS === undefined ? {} : { faults: parseFaultText(DETSIM_FAULTS) }),
  };
}

/** A config with options put over it. Packages to instrument, and faults, add up. */
export function withOptions(config: Config, options: ConfigOptions): Config {
  const instrument = [...(config.instrument ?? []), ...(options.instrument ?? [])];
  const faults = { ...config.faults, ...options.faults };
  return { ...config, ...options, instrument: [...new Set(instrument)], faults };
}
