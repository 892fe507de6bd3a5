/**
 * `--reporter=NAME` and `--reporter=NAME:FILE`: which reports go where. It may be given several
 * times, so that a job shows one on its log and keeps others as files.
 */

import { UserError } from '../errors.js';

export const REPORTERS = ['pretty', 'json', 'junit', 'github'] as const;
export type ReporterName = (typeof REPORTERS)[number];

export interface Output {
  readonly reporter: ReporterName;
  /** Undefined is standard output. */
  readonly file: string | undefined;
}

/**
 * Reads one `--reporter`, after those before it.
 * @throws UserError when there is no such reporter, or two of them write to standard output
 */
export function addOutput(text: string, before: readonly Output[] = []): Output[] {
  const [, name, file] = /^([^:]*)(?::(.*))?$/s.exec(text)!;
  const reporter = REPORTERS.find((one) => one === name);
  if (reporter === undefined || file === '') {
    throw new UserError(
      `--reporter must be one of ${REPORTERS.join(', ')}, or one of them with a file to write ` +
        `it to, for instance --reporter=json:report.json, but it is "${text}".`,
    );
  }
  if (file === undefined && before.some((one) => one.file === undefined)) {
    throw new UserError(
      'Two reporters cannot both write to standard output: give one of them a file, for instance ' +
        `--reporter=${reporter}:report.txt.`,
    );
  }
  return [...before, { reporter, file }];
}
