/**
 * `process.chdir` and `process.cwd` inside a simulation: the working directory is one of the
 * simulated disk, and each host has its own. The real one stays where it is.
 */

import { patch } from '../facade.js';
import { currentHost } from '../host.js';
import { onPlainNode } from '../plain-node.js';
import { pristine } from '../pristine.js';
import { simulated } from '../simulated.js';
import { filesNow } from './binding.js';
import { failure, nodeError, SystemFailure } from './failure.js';
import { WorkingDirectory, workingDirectory } from './file-system.js';
import { Directory } from './inode.js';
import { SEARCH } from './tree.js';

const { apply } = Reflect;

export function installWorkingDirectory(): void {
  patch(process, 'chdir', 'process.chdir', (real: (directory: string) => void) => {
    return function chdir(this: unknown, directory: string): void {
      const files = onPlainNode() === undefined ? filesNow() : undefined;
      if (files === undefined || typeof directory !== 'string') {
        apply(real, this, [directory]);
        return;
      }
      const { tree } = files;
      try {
        const inode = tree.inode(directory, true);
        if (!(inode instanceof Directory)) throw failure('ENOTDIR');
        tree.check(inode, SEARCH);
        currentHost(files.scheduler).part(WorkingDirectory).path = tree.realPath(directory);
      } catch (error) {
        if (!(error instanceof SystemFailure)) throw error;
        throw nodeError(error, 'chdir', process.cwd(), directory, chdir);
      }
    };
  });
  patch(process, 'cwd', 'process.cwd', () => {
    return function cwd(): string {
      const scheduler = onPlainNode() === undefined ? simulated() : undefined;
      return scheduler === undefined ? pristine.cwd() : workingDirectory(scheduler);
    };
  });
}
