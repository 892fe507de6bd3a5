/**
 * Installs the simulated file system.
 */

import { installBinding } from './binding.js';
import { installJobs } from './jobs.js';
import { installOpendir } from './opendir.js';
import { installPowerMayFail } from './power.js';
import { installWatch } from './watch.js';
import { installWatchFile } from './watch-file.js';
import { installWorkingDirectory } from './working-directory.js';

/** Returns false where Node does not let its binding be replaced: then files are trapped. */
export function installFiles(): boolean {
  if (!installBinding()) return false;
  installJobs();
  installOpendir();
  installPowerMayFail();
  installWatch();
  installWatchFile();
  installWorkingDirectory();
  return true;
}
