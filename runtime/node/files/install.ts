/**
 * Installs the simulated file system.
 */

import { installBinding } from './binding.js';

/** Returns false where Node does not let its binding be replaced: then files are trapped. */
export function installFiles(): boolean {
  return installBinding();
}
