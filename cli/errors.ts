/**
 * Errors that are the user's to solve: printed as one paragraph without a stack, exit status 2.
 */

export class UserError extends Error {
  override readonly name = 'UserError';
}
