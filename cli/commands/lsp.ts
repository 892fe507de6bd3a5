/**
 * `detsim lsp`: the language server, on standard input and output. It ends when its client says so,
 * or goes away.
 */

import { LanguageServer } from '../../langservice/lsp/server.js';

/** Serves until the client ends the process, or closes the input. */
export function lspCommand(version: string): Promise<never> {
  new LanguageServer(process.stdin, process.stdout, version);
  // Watched files would keep the process alive, though nobody is left to be told about them.
  process.stdin.once('close', () => process.exit(1));
  return new Promise(() => undefined);
}
