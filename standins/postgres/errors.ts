/**
 * Errors as PostgreSQL reports them: a SQLSTATE, a message, and the fields of its error response.
 */

/** The fields of an error or notice beside severity, code and message. */
export interface ErrorFields {
  detail?: string;
  hint?: string;
  /** Offset into the statement, from 1, in characters. */
  position?: number;
  where?: string;
  schema?: string;
  table?: string;
  column?: string;
  datatype?: string;
  constraint?: string;
}

export class SqlError extends Error {
  severity: 'ERROR' | 'FATAL' = 'ERROR';

  constructor(
    readonly code: string,
    message: string,
    readonly fields: ErrorFields = {},
  ) {
    super(message);
    this.name = 'SqlError';
  }
}

/** For whatever the stand-in does not do: it names the construct, and never guesses. */
export function unsupported(construct: string): SqlError {
  return new SqlError('0A000', `${construct} is not supported by detsim's PostgreSQL stand-in`);
}

/** The session ends after this one. */
export function fatal(code: string, message: string): SqlError {
  const error = new SqlError(code, message);
  error.severity = 'FATAL';
  return error;
}

export const undefinedColumn = (name: string, position?: number) =>
  new SqlError('42703', `column ${name} does not exist`, { position });

export const invalidText = (type: string, text: string) =>
  new SqlError('22P02', `invalid input syntax for type ${type}: "${text}"`);

export const outOfRange = (type: string) => new SqlError('22003', `${type} out of range`);
